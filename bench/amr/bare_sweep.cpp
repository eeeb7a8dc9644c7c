#include "bare_sweep.hpp"

#include <atomic>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>

#include <kumiko/amr/placement.hpp>

namespace kumiko::bench {

BareSweep::BareSweep(const RunSpec& spec, int base_steps) : run_(spec, "serial", 1) {
  run_.advance(base_steps);
  for (int index = 0; index < run_.hierarchy().used_levels(); ++index) {
    const amr::Level& level = run_.hierarchy().level(index);
    std::vector<amr::Patch>& patches = levels_.emplace_back();
    for (std::size_t slot = 0; slot < level.size(); ++slot) patches.push_back(level.patch(slot));
  }
  check_that_all_are_done();
}

double BareSweep::rate(int workers, int base_steps) {
  std::atomic<int> missing = workers;
  const auto work = [&](int worker) {
    missing.fetch_sub(1);
    while (missing.load() > 0) std::this_thread::yield();
    const auto begin = std::chrono::steady_clock::now();
    for (int step = 0; step < base_steps; ++step) sweep(0, worker, workers);
    return begin;
  };
  std::vector<std::jthread> others;
  try {
    for (int worker = 1; worker < workers; ++worker) others.emplace_back(work, worker);
  } catch (...) {
    missing = 0;  // those who are there must not wait for the others
    throw;
  }
  const auto begin = work(0);
  others.clear();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  return base_steps * updates_per_base_step() / time.count();
}

void BareSweep::sweep(std::size_t level, int worker, int workers) {
  if (level == levels_.size()) return;
  std::vector<amr::Patch>& patches = levels_[level];
  const std::size_t end = amr::chunk_begin(worker + 1, patches.size(), workers);
  for (std::size_t slot = amr::chunk_begin(worker, patches.size(), workers); slot < end; ++slot) {
    amr::Patch& patch = patches[slot];
    run_.solver().advance(std::as_const(patch).now(), patch.coefficients(), patch.next());
  }
  for (int half = 0; half < 2; ++half) sweep(level + 1, worker, workers);
}

double BareSweep::updates_per_base_step() const {
  std::size_t patches = 0;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    patches += levels_[level].size() << level;
  }
  return static_cast<double>(patches * amr::kPatchPoints);
}

/// With two workers, whose parts must be the whole.
void BareSweep::check_that_all_are_done() {
  const double untouched = std::numeric_limits<double>::max();
  for (auto& patches : levels_) {
    for (amr::Patch& patch : patches) patch.next()(0, 0) = untouched;
  }
  for (int worker = 0; worker < 2; ++worker) sweep(0, worker, 2);
  for (auto& patches : levels_) {
    for (amr::Patch& patch : patches) {
      if (patch.next()(0, 0) == untouched) throw std::runtime_error("the sweep left out a patch");
    }
  }
}

}  // namespace kumiko::bench
