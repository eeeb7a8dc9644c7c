// What one core does: its peak, the hot kernel, and a uniform grid through the whole engine. What
// the cores do with the AMR run's patches and nothing beside the kernel. Prints medians over short
// windows, which a disturbance hits or misses as a whole.
#include <chrono>
#include <cstdio>
#include <exception>
#include <set>
#include <string>
#include <vector>

#include <malloc.h>

#include <kumiko/runtime/cpu_budget.hpp>

#include "bare_sweep.hpp"
#include "case_run.hpp"
#include "fma_peak.hpp"
#include "hot_patch.hpp"
#include "rates.hpp"
#include "support/arguments.hpp"
#include "support/json_line.hpp"

namespace kumiko::bench {
namespace {

/// Half a millisecond each, or one: less than an OS gives another program at a time.
constexpr long kFmaRounds = 200'000;
constexpr long kPatches = 1'000;

/// Clocks need some time to rise, or to fall with the widest instructions.
constexpr std::chrono::milliseconds kWarmUp{40};

FmaLoop fma_loop(const std::string& isa) {
  for (const Peak& peak : peaks()) {
    if (peak.name == isa) return peak.loop;
  }
  return nullptr;
}

/// Peak and kernel in turn, so that the clock is the same for both.
void measure_kernels(Rates& rates, int windows) {
  HotPatch uniform(true);
  HotPatch mixed(false);
  for (const IsaKernel& isa : kernels()) {
    const std::string name = isa.name;
    const FmaLoop loop = fma_loop(name);
    const auto warm = std::chrono::steady_clock::now() + kWarmUp;
    while (std::chrono::steady_clock::now() < warm) uniform.advance(isa.kernel, kPatches);
    for (int window = 0; window < windows; ++window) {
      if (loop != nullptr) rates.measure("fma_" + name, [&] { return loop(kFmaRounds); });
      rates.measure("uniform_upwind_" + name,
                    [&] { return uniform.advance(isa.kernel, kPatches); });
      rates.measure("mixed_upwind_" + name, [&] { return mixed.advance(isa.kernel, kPatches); });
    }
  }
}

/// Steps at a time as the kumiko command takes them.
constexpr int kStretch = 20;

/// The two backends in turn.
void measure_grid(Rates& rates, int points, int windows) {
  const std::string name = "grid_" + std::to_string(points);
  constexpr int kStepsPerPoint = 10;  // 2560 for 256
  const RunSpec spec{.points = points, .levels = 1, .steps = kStepsPerPoint * points};
  CaseRun serial(spec, "serial", 1);
  CaseRun threads(spec, "threads", 1);
  serial.advance(kStretch);
  threads.advance(kStretch);
  for (int window = 0; window < windows; ++window) {
    rates.measure(name + "_serial", [&] { return serial.advance(kStretch); });
    rates.measure(name + "_threads", [&] { return threads.advance(kStretch); });
  }
}

/// One worker and all in turn.
void measure_sweep(Rates& rates, int workers, int windows) {
  constexpr int kStepsBefore = 160;  // a sixteenth of the revolution
  BareSweep sweep({}, kStepsBefore);
  for (int window = 0; window < windows; ++window) {
    for (const int count : std::set{1, workers}) {
      rates.add("sweep_" + std::to_string(count), sweep.rate(count, kStretch));
    }
  }
}

/// What a trace adds to the AMR run, with the same steps without one before it; both have as many
/// regrids.
void measure_recording(Rates& rates, int windows) {
  using Seconds = std::chrono::duration<double>;
  const auto now = [] { return std::chrono::steady_clock::now(); };
  CaseRun run({}, "threads", 1);
  run.advance(kStretch);
  // Large pieces of memory are returned at once: each trace pays for its pages, as the first does.
  mallopt(M_MMAP_THRESHOLD, 64 << 10);
  for (int window = 0; window < windows; ++window) {
    const auto begin = now();
    run.advance(kStretch);
    const auto recording = now();
    run.simulation().start_trace();
    run.advance(kStretch);
    const auto end = now();
    const auto pieces = static_cast<double>(run.simulation().stop_trace().pieces.size());
    rates.add("recording_s", Seconds((end - recording) - (recording - begin)).count() / pieces);
  }
}

int run(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const auto kernel_windows = static_cast<int>(arguments.integer("kernel_windows", 60));
  const auto small_windows = static_cast<int>(arguments.integer("small_windows", 60));
  const auto large_windows = static_cast<int>(arguments.integer("large_windows", 7));
  const auto workers = static_cast<int>(arguments.integer("workers", runtime::available_cores()));
  arguments.reject_unknown();
  Rates rates;
  measure_kernels(rates, kernel_windows);
  measure_grid(rates, 256, small_windows);
  measure_grid(rates, 1024, large_windows);
  measure_sweep(rates, workers, large_windows);
  measure_recording(rates, small_windows);
  JsonLine line;
  rates.add_medians(line);
  line.print();
  return 0;
}

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  try {
    return kumiko::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
