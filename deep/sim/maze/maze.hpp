#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace speder::deep {

/// Row index i runs along y, column index j along x.  [docs/imitation.md]
struct Cell {
  int row = 0;
  int column = 0;
  bool operator==(const Cell&) const = default;
};

struct Place {
  double x = 0;
  double y = 0;
};

/// Distance between two places.
[[nodiscard]] double distance(const Place& a, const Place& b);

/// D4RL's medium and large maps: where an episode starts, the evaluation goal, and the hand-picked
/// goals of the "play" data.
struct MazeLayout {
  std::string name;
  std::vector<std::string> rows;  // '1' wall, '0' free
  Cell start;
  Cell goal;
  std::vector<Cell> play_goals;
};

/// Names of the layouts. find_layout throws InputError that lists them.
[[nodiscard]] const std::vector<MazeLayout>& maze_layouts();
[[nodiscard]] const MazeLayout& find_layout(std::string_view name);

/// A run of wall cells in one row as one box.
struct Wall {
  Place centre;
  double half_x = 0;
  double half_y = 0;
};

/// A layout with cells of a given size; the start cell's centre is the origin, no axis is flipped.
class Maze {
 public:
  Maze(const MazeLayout& layout, double cell_size);

  [[nodiscard]] const MazeLayout& layout() const { return layout_; }
  [[nodiscard]] double cell_size() const { return cell_; }
  [[nodiscard]] int rows() const { return static_cast<int>(layout_.rows.size()); }
  [[nodiscard]] int columns() const { return static_cast<int>(layout_.rows[0].size()); }
  [[nodiscard]] bool free(Cell cell) const;
  [[nodiscard]] const std::vector<Cell>& free_cells() const { return free_; }
  [[nodiscard]] Place centre(Cell cell) const;
  /// The cell a place lies in (clamped to the map); walls included.
  [[nodiscard]] Cell cell_at(const Place& place) const;
  /// Number of moves between free cells along a shortest path.
  [[nodiscard]] int path_length(Cell from, Cell to) const;
  /// The next cell on a shortest path; `to` itself when there. `from` inside a wall (a body pressed
  /// against it) counts as the nearest free cell. Ties: up, left, right, down.
  [[nodiscard]] Cell next(Cell from, Cell to) const;
  /// Every wall, consecutive cells of a row joined: the same solid with a third of the boxes.
  [[nodiscard]] std::vector<Wall> walls() const;

 private:
  [[nodiscard]] int index(Cell cell) const { return cell.row * columns() + cell.column; }
  [[nodiscard]] Cell nearest_free(Cell cell) const;

  MazeLayout layout_;
  double cell_;
  std::vector<Cell> free_;
  std::vector<std::vector<int>> moves_;  // [to][from] shortest path length; −1: a wall
};

}  // namespace speder::deep
