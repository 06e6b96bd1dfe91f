#include "speder/sweep/stop_signal.hpp"

#include <unistd.h>

#include <array>
#include <csignal>

namespace speder {
namespace {

std::atomic<bool> stop_requested = false;  // a signal handler reaches nothing but globals
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr std::array kSignals = {SIGINT, SIGTERM};
std::array<struct sigaction, kSignals.size()> previous;

void request_stop(int) {
  if (stop_requested.exchange(true)) ::_exit(kInterruptedExit);
}

}  // namespace

StopSignal::StopSignal() {
  stop_requested = false;
  struct sigaction action {};
  action.sa_handler = request_stop;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &previous[i]);
}

StopSignal::~StopSignal() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &previous[i], nullptr);
}

void StopSignal::raise() { stop_requested = true; }

const std::atomic<bool>& StopSignal::flag() { return stop_requested; }

}  // namespace speder
