#include "speder/sweep/cluster.hpp"

#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "speder/core/check.hpp"

namespace speder {
namespace {

constexpr std::int64_t kLeave = -1;
constexpr std::chrono::microseconds kPoll(200);  // MPI's blocking calls would keep a core busy

template <class T>
void put(Bytes& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}
void put(Bytes& out, std::string_view text) {
  put(out, static_cast<std::uint64_t>(text.size()));
  out.append(text);
}

class Reader {
 public:
  explicit Reader(const Bytes& bytes) : bytes_(bytes) {}
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }
  std::string text() {
    const auto size = number<std::uint64_t>();
    return {take(size), size};
  }

 private:
  const char* take(std::size_t size) {
    require(size <= bytes_.size() - at_, "a rank's message is cut short");
    at_ += size;
    return bytes_.data() + (at_ - size);
  }
  const Bytes& bytes_;
  std::size_t at_ = 0;
};

Bytes task_message(std::int64_t task) {
  Bytes out;
  put(out, task);
  return out;
}

class RankPool {
 public:
  explicit RankPool(Transport transport) : transport_(std::move(transport)) {
    for (int r = transport_.size - 1; r >= 1; --r) idle_.push_back(r);
  }
  RankPool(const RankPool&) = delete;
  RankPool& operator=(const RankPool&) = delete;
  ~RankPool() {  // a rank under way finishes its run and then reads this
    for (int r = 1; r < transport_.size; ++r) transport_.send(r, task_message(kLeave));
    Message unused;
    while (under_way_ > 0) {
      if (transport_.receive(unused)) --under_way_;
      std::this_thread::sleep_for(kPoll);
    }
  }
  void submit(std::int64_t task) {
    require(!idle_.empty(), "more tasks than ranks");
    transport_.send(idle_.back(), task_message(task));
    idle_.pop_back();
    ++under_way_;
  }
  [[nodiscard]] std::optional<Outcome> wait(std::chrono::milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    Message message;
    while (!transport_.receive(message)) {
      if (std::chrono::steady_clock::now() >= deadline) return {};
      std::this_thread::sleep_for(kPoll);
    }
    idle_.push_back(message.rank);
    --under_way_;
    return unpack(message.bytes);
  }

 private:
  Transport transport_;
  std::vector<int> idle_;
  int under_way_ = 0;
};

void put_run(Bytes& out, const Run& run) {
  put(out, std::string_view(run.key.experiment));
  put(out, std::string_view(run.key.cell));
  put(out, run.key.repetition);
  put(out, static_cast<char>(run.failed));
  put(out, std::string_view(run.error));
  put(out, run.seconds);
  put(out, static_cast<std::uint64_t>(run.measures.size()));
  for (const Measure& m : run.measures) {
    put(out, std::string_view(m.metric));
    put(out, m.n);
    put(out, m.value);
  }
}

Run take_run(Reader& in) {
  Run run;
  run.key.experiment = in.text();
  run.key.cell = in.text();
  run.key.repetition = in.number<std::int64_t>();
  run.failed = in.number<char>() != 0;
  run.error = in.text();
  run.seconds = in.number<double>();
  const auto measures = in.number<std::uint64_t>();
  for (std::uint64_t i = 0; i < measures; ++i) {
    std::string metric = in.text();
    const auto n = in.number<std::int64_t>();
    run.measures.push_back({std::move(metric), n, in.number<double>()});
  }
  return run;
}

}  // namespace

Bytes pack(const Outcome& outcome) {
  Bytes out;
  put(out, std::string_view(outcome.obstacle));
  put(out, static_cast<char>(outcome.run.has_value()));
  if (outcome.run) put_run(out, *outcome.run);
  return out;
}

Outcome unpack(const Bytes& bytes) {
  Reader in(bytes);
  Outcome outcome{.run = {}, .obstacle = in.text()};
  if (in.number<char>() != 0) outcome.run = take_run(in);
  return outcome;
}

Workers rank_workers(const Transport& transport) noexcept {
  const auto pool = std::make_shared<RankPool>(transport);
  return {.capacity = transport.size - 1,
          .submit = [pool](std::int64_t task) { pool->submit(task); },
          .wait = [pool](std::chrono::milliseconds patience) { return pool->wait(patience); },
          .drop = [] { return 0; }};  // a rank begins what it is sent
}

void serve(const Transport& transport, const RunTask& run) noexcept {
  Message message;
  while (true) {
    while (!transport.receive(message)) std::this_thread::sleep_for(kPoll);
    const auto task = Reader(message.bytes).number<std::int64_t>();
    if (task == kLeave) return;
    transport.send(0, pack(run(task)));
  }
}

}  // namespace speder
