#include "speder/deep/sim/maze/maze.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace {

constexpr std::array<Cell, 4> kMoves = {Cell{-1, 0}, Cell{0, -1}, Cell{0, 1}, Cell{1, 0}};

Cell operator+(Cell a, Cell b) { return {a.row + b.row, a.column + b.column}; }

int squared(Cell a, Cell b) {
  const int i = a.row - b.row, j = a.column - b.column;
  return i * i + j * j;
}

}  // namespace

double distance(const Place& a, const Place& b) { return std::hypot(a.x - b.x, a.y - b.y); }

const std::vector<MazeLayout>& maze_layouts() {
  static const std::vector<MazeLayout> table = {
      {.name = "medium",
       .rows = {"11111111",   //
                "10011001",   //
                "10010001",   //
                "11000111",   //
                "10010001",   //
                "10100101",   //
                "10001001",   //
                "11111111"},  //
       .start = {1, 1},
       .goal = {6, 6},
       .play_goals = {{2, 6}, {5, 1}, {6, 5}}},
      {.name = "large",
       .rows = {"111111111111",   //
                "100001000001",   //
                "101101010101",   //
                "100000010001",   //
                "101111011101",   //
                "100101000001",   //
                "110101010111",   //
                "100100010001",   //
                "111111111111"},  //
       .start = {1, 1},
       .goal = {7, 9},
       .play_goals = {{1, 6}, {3, 5}, {3, 10}, {5, 2}, {7, 4}, {7, 6}, {7, 9}}}};
  return table;
}

const MazeLayout& find_layout(std::string_view name) {
  for (const MazeLayout& layout : maze_layouts()) {
    if (layout.name == name) return layout;
  }
  throw InputError(fmt::format("no maze is called '{}'; there are: medium large", name));
}

Maze::Maze(const MazeLayout& layout, double cell_size) : layout_(layout), cell_(cell_size) {
  require(cell_size > 0, "a maze's cells must have a positive size", cell_size);
  for (int i = 0; i < rows(); ++i) {
    for (int j = 0; j < columns(); ++j) {
      if (free({i, j})) free_.push_back({i, j});
    }
  }
  moves_.assign(static_cast<std::size_t>(rows()) * static_cast<std::size_t>(columns()), {});
  for (const Cell to : free_) {
    std::vector<int>& moves = moves_[static_cast<std::size_t>(index(to))];
    moves.assign(moves_.size(), -1);
    moves[static_cast<std::size_t>(index(to))] = 0;
    for (std::deque<Cell> open = {to}; !open.empty(); open.pop_front()) {
      const int reached = moves[static_cast<std::size_t>(index(open.front()))];
      for (const Cell step : kMoves) {
        const Cell cell = open.front() + step;
        if (!free(cell) || moves[static_cast<std::size_t>(index(cell))] >= 0) continue;
        moves[static_cast<std::size_t>(index(cell))] = reached + 1;
        open.push_back(cell);
      }
    }
  }
}

bool Maze::free(Cell cell) const {
  return cell.row >= 0 && cell.row < rows() && cell.column >= 0 && cell.column < columns() &&
         layout_.rows[static_cast<std::size_t>(cell.row)][static_cast<std::size_t>(cell.column)] ==
             '0';
}

Place Maze::centre(Cell cell) const {
  return {cell_ * (cell.column - layout_.start.column), cell_ * (cell.row - layout_.start.row)};
}

Cell Maze::cell_at(const Place& place) const {
  const auto nearest = [this](double offset, int origin, int count) {
    const double position = std::floor(offset / cell_ + 0.5) + origin;
    return static_cast<int>(std::clamp(position, 0.0, count - 1.0));
  };
  return {nearest(place.y, layout_.start.row, rows()),
          nearest(place.x, layout_.start.column, columns())};
}

Cell Maze::nearest_free(Cell cell) const {
  return *std::min_element(free_.begin(), free_.end(),
                           [&](Cell a, Cell b) { return squared(a, cell) < squared(b, cell); });
}

int Maze::path_length(Cell from, Cell to) const {
  require(free(from) && free(to), "a path joins free cells");
  return moves_[static_cast<std::size_t>(index(to))][static_cast<std::size_t>(index(from))];
}

Cell Maze::next(Cell from, Cell to) const {
  if (!free(from)) return nearest_free(from);
  const int left = path_length(from, to);
  for (const Cell step : kMoves) {
    const Cell cell = from + step;
    if (free(cell) && path_length(cell, to) == left - 1) return cell;
  }
  return to;
}

std::vector<Wall> Maze::walls() const {
  std::vector<Wall> boxes;
  for (int i = 0; i < rows(); ++i) {
    for (int j = 0; j < columns(); ++j) {
      if (free({i, j})) continue;
      const int first = j;
      while (j + 1 < columns() && !free({i, j + 1})) ++j;
      const Place a = centre({i, first}), b = centre({i, j});
      boxes.push_back({.centre = {(a.x + b.x) / 2, a.y},
                       .half_x = (b.x - a.x + cell_) / 2,
                       .half_y = cell_ / 2});
    }
  }
  return boxes;
}

}  // namespace speder::deep
