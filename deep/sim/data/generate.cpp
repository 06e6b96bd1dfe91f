#include "speder/deep/sim/data/generate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "speder/core/check.hpp"
#include "speder/core/parallel.hpp"
#include "speder/deep/sim/data/part_file.hpp"
#include "speder/deep/sim/maze/models.hpp"

namespace speder::deep {
namespace {

constexpr int kEpisodesPerTurn = 8;  // of one thread, between two writes
constexpr int kAttemptsPerExpert = 50;
constexpr std::uint64_t kSuccess = 1, kUnstable = 2;  // tags of a record

/// One row of a record: observation, action, goal; rewards follow from the positions.
struct Shape {
  std::size_t observation, action;
  [[nodiscard]] std::size_t width() const { return observation + action + 2; }
};

/// Draws and follows one episode after the other; one per thread.
class Collector {
 public:
  Collector(const GenerateOptions& options, const std::shared_ptr<const Physics>& physics,
            const Maze& maze, Walk walk)
      : options_(&options),
        style_(find_style(options.style)),
        maze_(&maze),
        env_(physics, {.keep_going = true}),
        walk_(std::move(walk)),
        action_(static_cast<std::size_t>(physics->spec.action_size)) {}

  PartFile::Record episode(std::int64_t number) {
    Rng rng = SeedTree(options_->seed).stream("maze-episode", static_cast<std::uint64_t>(number));
    start(rng);
    Waypoints waypoints(*maze_, style_ == Style::kExpert ? goal_of(env_.world()) : draw_goal(rng));
    PartFile::Record record;
    const int limit = style_ == Style::kExpert ? env_.spec().max_steps : options_->episode_rows;
    for (int t = 0; t < limit; ++t) {
      const Place here = place_of(env_.world());
      if (options_->new_goal && distance(here, waypoints.goal()) <= kSuccessRadius &&
          style_ != Style::kExpert) {
        waypoints = Waypoints(*maze_, draw_goal(rng));
      }
      walk_(env_.observation(), waypoints.next(here, rng), action_);
      for (double& a : action_) a = std::clamp(a + options_->noise * rng.normal(), -1.0, 1.0);
      append_row(record, waypoints.goal());
      const StepResult result = env_.step(action_);
      if (result.unstable) {
        record.tag = kUnstable;
        return record;
      }
      if (style_ == Style::kExpert && result.terminated) {
        std::fill(action_.begin(), action_.end(), 0.0);
        append_row(record, waypoints.goal());  // the state reached
        record.tag = kSuccess;
        return record;
      }
    }
    return record;
  }

 private:
  void append_row(PartFile::Record& record, const Place& goal) const {
    const auto add = [&record](double v) { record.values.push_back(static_cast<float>(v)); };
    for (const double s : env_.observation()) add(s);
    for (const double a : action_) add(a);
    add(goal.x);
    add(goal.y);
  }

  [[nodiscard]] bool play_goal(Cell cell) const {
    const auto& list = maze_->layout().play_goals;
    return std::find(list.begin(), list.end(), cell) != list.end();
  }

  Place draw_in(const std::vector<Cell>& cells, Rng& rng) const {
    Place p = maze_->centre(cells[static_cast<std::size_t>(rng.index(std::ssize(cells)))]);
    const double reach = maze_->cell_size() / 8;
    p.x += rng.uniform(-reach, reach);
    p.y += rng.uniform(-reach, reach);
    return p;
  }

  Place draw_goal(Rng& rng) const {
    return draw_in(style_ == Style::kPlay ? maze_->layout().play_goals : maze_->free_cells(), rng);
  }

  /// The expert starts as an evaluation does; the others anywhere, with the task's own noise.
  void start(Rng& rng) {
    env_.reset(rng);
    if (style_ == Style::kExpert) return;
    std::vector<Cell> cells = maze_->free_cells();
    if (style_ == Style::kPlay) std::erase_if(cells, [this](Cell c) { return play_goal(c); });
    const Place begin = draw_in(cells, rng);
    std::vector<double> qpos(env_.qpos().begin(), env_.qpos().end());
    const std::vector<double> qvel(env_.qvel().begin(), env_.qvel().end());
    qpos[0] = begin.x;
    qpos[1] = begin.y;
    env_.place(qpos, qvel);
  }

  const GenerateOptions* options_;
  Style style_;
  const Maze* maze_;
  Env env_;
  Walk walk_;
  std::vector<double> action_;
};

/// Adds a record's rows to the table; false when it is full.
bool add_rows(OfflineData& data, const PartFile::Record& record, std::int64_t limit) {
  const auto obs = static_cast<std::size_t>(data.observation_size);
  const auto act = static_cast<std::size_t>(data.action_size);
  const std::size_t width = Shape{obs, act}.width();
  const std::size_t rows =
      std::min(record.values.size() / width, static_cast<std::size_t>(limit) - data.rows());
  for (std::size_t i = 0; i < rows; ++i) {
    const float* row = &record.values[i * width];
    data.observations.insert(data.observations.end(), row, row + obs);
    data.actions.insert(data.actions.end(), row + obs, row + obs + act);
    data.goal.insert(data.goal.end(), row + obs + act, row + width);
    data.last.push_back(i + 1 == rows ? 1 : 0);
  }
  return data.rows() < static_cast<std::size_t>(limit);
}

/// r_t = terminal_t = 1[‖xy_{t+1} − goal‖ ≤ 0.5] with the evaluation goal's centre, for experts with
/// the goal of the episode.  [docs/imitation.md]
void relabel(OfflineData& data, const Place& centre, bool expert) {
  const auto width = static_cast<std::size_t>(data.observation_size);
  data.rewards.assign(data.rows(), 0);
  data.terminals.assign(data.rows(), 0);
  for (std::size_t i = 0; i + 1 < data.rows(); ++i) {
    const float* next = &data.observations[(i + 1) * width];
    const Place goal = expert ? Place{data.goal[2 * i], data.goal[2 * i + 1]} : centre;
    if (data.last[i] != 0 || distance({next[0], next[1]}, goal) > kSuccessRadius) continue;
    data.rewards[i] = 1;
    data.terminals[i] = 1;
  }
}

/// The run's state while it goes on: which records count, and how many rows they make.
class Generation {
 public:
  Generation(const GenerateOptions& options, const Physics& physics)
      : expert_(find_style(options.style) == Style::kExpert),
        wanted_(expert_ ? options.episodes : options.transitions),
        shape_{static_cast<std::size_t>(physics.spec.observation_size),
               static_cast<std::size_t>(physics.spec.action_size)} {}

  [[nodiscard]] bool kept(const PartFile::Record& record) const {
    return !expert_ || record.tag == kSuccess;
  }
  void count(const PartFile::Record& record) {
    ++result.attempts;
    if (record.tag == kUnstable) ++result.unstable;
    if (!kept(record)) return;
    ++result.episodes;
    result.rows += static_cast<std::int64_t>(record.values.size() / shape_.width());
  }
  [[nodiscard]] std::int64_t done() const {
    return std::min(wanted_, expert_ ? result.episodes : result.rows);
  }
  [[nodiscard]] std::int64_t wanted() const { return wanted_; }
  [[nodiscard]] bool complete() const { return done() >= wanted_; }
  void require_progress() const {
    if (!expert_ || result.attempts < kAttemptsPerExpert * wanted_) return;
    throw InputError(fmt::format("only {} of {} expert episodes reached the goal; {} are wanted",
                                 result.episodes, result.attempts, wanted_));
  }

  GenerateResult result;

 private:
  bool expert_;
  std::int64_t wanted_;
  Shape shape_;
};

/// The next episodes of every thread, in order.
std::vector<PartFile::Record> collect(std::vector<Collector>& collectors, std::int64_t first) {
  const auto threads = static_cast<Index>(collectors.size());
  std::vector<PartFile::Record> records(collectors.size() * kEpisodesPerTurn);
  parallel_for(threads, static_cast<int>(threads), [&](Index t) {
    for (std::size_t e = static_cast<std::size_t>(t); e < records.size(); e += collectors.size()) {
      records[e] =
          collectors[static_cast<std::size_t>(t)].episode(first + static_cast<std::int64_t>(e));
    }
  });
  return records;
}

void write_out(PartFile& part, const Generation& run, const GenerateOptions& options,
               const Physics& physics, const GeneratePlace& place) {
  const bool expert = find_style(options.style) == Style::kExpert;
  const std::int64_t rows = expert ? run.result.rows : options.transitions;
  OfflineData data;
  data.observation_size = physics.spec.observation_size;
  data.action_size = physics.spec.action_size;
  data.observations.reserve(static_cast<std::size_t>(rows * data.observation_size));
  data.actions.reserve(static_cast<std::size_t>(rows * data.action_size));
  data.goal.reserve(static_cast<std::size_t>(rows * 2));
  part.rewind();
  bool room = true;
  for (PartFile::Record r; room && part.next(r);) {
    if (run.kept(r)) room = add_rows(data, r, rows);
  }
  const double cell = options.body == "ant" ? kAntCell : kPointCell;
  const Maze maze(find_layout(options.layout), cell);
  relabel(data, maze.centre(maze.layout().goal), expert);
  data.position_size = static_cast<int>(physics.model->nq);  // both bodies observe qpos ++ qvel
  write_d4rl(place.out, data, physics.spec.name, place.compress);
}

}  // namespace

Style find_style(const std::string& name) {
  if (name == "diverse") return Style::kDiverse;
  if (name == "play") return Style::kPlay;
  if (name == "expert") return Style::kExpert;
  throw InputError(fmt::format("no style is called '{}'; there are: diverse play expert", name));
}

std::string to_text(const GenerateOptions& o) {
  return fmt::format(
      "speder maze data 1 body={} layout={} style={} policy={} transitions={} episodes={} "
      "episode_rows={} noise={} new_goal={} seed={}",
      o.body, o.layout, o.style, o.policy, o.transitions, o.episodes, o.episode_rows, o.noise,
      o.new_goal, o.seed);
}

GenerateResult generate(const GenerateOptions& options,
                        const std::shared_ptr<const Physics>& physics,
                        const std::function<Walk()>& walk, const GeneratePlace& place) {
  const Maze maze(find_layout(options.layout), options.body == "ant" ? kAntCell : kPointCell);
  Generation run(options, *physics);
  std::filesystem::path part_path = place.out;
  part_path += ".part";
  PartFile part(part_path, to_text(options));
  if (part.cut_off() > 0 && place.warning) {
    place.warning(fmt::format("{}: {} half-written or damaged bytes are dropped and made again",
                              part_path.string(), part.cut_off()));
  }
  for (PartFile::Record r; part.next(r);) run.count(r);
  run.result.resumed = run.result.rows;
  std::vector<Collector> collectors;
  for (int t = 0; t < place.threads; ++t) collectors.emplace_back(options, physics, maze, walk());
  while (!run.complete()) {
    if (place.stop && place.stop()) return run.result;
    for (const PartFile::Record& record : collect(collectors, run.result.attempts)) {
      if (run.complete()) break;  // the same episodes for any number of threads
      part.append(record);
      run.count(record);
    }
    if (place.progress) place.progress(run.done(), run.wanted());
    if (!run.complete()) run.require_progress();
  }
  write_out(part, run, options, *physics, place);
  const std::string left = part.remove();
  if (!left.empty() && place.warning) place.warning(left);
  run.result.finished = true;
  if (find_style(options.style) != Style::kExpert) run.result.rows = options.transitions;
  return run.result;
}

}  // namespace speder::deep
