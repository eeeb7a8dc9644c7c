#include "status.hpp"

#include <csignal>
#include <cstdio>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <pthread.h>

#include "terminal.hpp"

namespace kumiko::app {

namespace {

sigset_t status_signal() {
  sigset_t set{};
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  return set;
}

/// A length of time with the unit that suits it.
std::string since_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  return seconds < 1.0 ? fmt::format("{:.1f} ms", seconds * 1e3) : fmt::format("{:.1f} s", seconds);
}

std::string describe(const amr::WorkerActivity& worker) {
  if (!worker.is_busy) return fmt::format("idle for {}", since_text(worker.seconds));
  return fmt::format("{} of {}, base step {}, for {}", to_string(worker.kind),
                     to_string(worker.patch), worker.base_step, since_text(worker.seconds));
}

}  // namespace

void hold_status_signal() {
  const sigset_t set = status_signal();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Status::Status(std::string label, const amr::Simulation& simulation, int last_step)
    : label_(std::move(label)),
      simulation_(simulation),
      last_step_(last_step),
      first_step_(simulation.step()),
      updates_before_(simulation.counters().updates()),
      step_(simulation.step()),
      time_(simulation.time()),
      updates_(updates_before_),
      thread_([this] { answer(); }) {}

Status::~Status() {
  ends_ = true;
  pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
}

void Status::note(const amr::Simulation& simulation) {
  const std::lock_guard lock(mutex_);
  step_ = simulation.step();
  time_ = simulation.time();
  const amr::WorkCounters& counters = simulation.counters();
  updates_ = counters.updates();
  if (counters.sum_of_means > 0.0) balance_ = counters.balance_efficiency();
  noted_ = Clock::now();
}

void Status::answer() {
  const sigset_t set = status_signal();
  while (true) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0) continue;
    if (ends_) return;
    // One write, so that no other line comes between.
    const std::string lines = text();
    std::fwrite(lines.data(), 1, lines.size(), stderr);
    std::fflush(stderr);
  }
}

std::string Status::text() {
  const std::vector<amr::WorkerActivity> workers = simulation_.activity();
  const Terminal terminal = Terminal::of_stderr();
  const std::lock_guard lock(mutex_);
  const double elapsed = std::chrono::duration<double>(noted_ - start_).count();
  std::string text = terminal.exists ? terminal.erase_line() : std::string();
  text += fmt::format("{}: base step {} of {}, t = {:.6g}", label_, step_, last_step_, time_);
  if (step_ > first_step_ && elapsed > 0.0) {
    text += fmt::format(", {:.3g} updates/s",
                        static_cast<double>(updates_ - updates_before_) / elapsed);
  }
  if (balance_ > 0.0) text += fmt::format(", balance {:.3f}", balance_);
  text += fmt::format("; {} ago\n",
                      since_text(std::chrono::duration<double>(Clock::now() - noted_).count()));
  for (std::size_t worker = 0; worker < workers.size(); ++worker) {
    text += fmt::format("  worker {}: {}\n", worker, describe(workers[worker]));
  }
  return text;
}

}  // namespace kumiko::app
