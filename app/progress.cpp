#include "progress.hpp"

#include <cstdio>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace kumiko::app {

namespace {

constexpr std::chrono::milliseconds kInterval{200};
constexpr const char* kEraseLine = "\r\x1b[K";

}  // namespace

Progress::Progress(bool quiet, std::string label, const amr::Simulation& simulation, int last_step)
    : visible_(!quiet && isatty(STDERR_FILENO) != 0),
      label_(std::move(label)),
      last_step_(last_step),
      first_step_(simulation.step()),
      updates_before_(simulation.counters().updates()) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "{}", kEraseLine);
}

void Progress::show(const amr::Simulation& simulation) {
  const Clock::time_point now = Clock::now();
  if (!visible_ || now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  std::vector<std::size_t> patches;
  for (int level = 0; level < simulation.hierarchy().max_levels(); ++level) {
    patches.push_back(simulation.hierarchy().level(level).size());
  }
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const int step = simulation.step();
  const int taken = step - first_step_;
  const double left = taken > 0 ? elapsed / taken * (last_step_ - step) : 0.0;
  const double rate =
      static_cast<double>(simulation.counters().updates() - updates_before_) / elapsed;
  fmt::print(stderr, "{}{}  step {}/{}  t = {:.4f}  patches {}  {:.0f} M updates/s  {:.0f} s left",
             kEraseLine, label_, step, last_step_, simulation.time(), fmt::join(patches, "+"),
             rate * 1e-6, left);
  std::fflush(stderr);
}

}  // namespace kumiko::app
