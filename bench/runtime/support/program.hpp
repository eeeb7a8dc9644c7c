// The main program of every runtime benchmark: arguments, measurement, report.
#pragma once

// The header of the system under test, which defines System; see systems/.
#include BENCH_SYSTEM

#include <cstdio>
#include <exception>

#include "arguments.hpp"
#include "clock.hpp"
#include "report.hpp"

namespace kumiko::bench {

/// Wall time of function(), in seconds.
template <class Function>
double seconds_of(Function&& function) {
  const double begin = steady_seconds();
  function();
  return steady_seconds() - begin;
}

/// main() of a benchmark program. `Benchmark` has a kName, reads its parameters in its constructor,
/// and measures in `Measurement measure(System&)`.
template <class Benchmark>
int program_main(int argc, char** argv) {
  try {
    Arguments arguments(argc, argv);
    Benchmark benchmark(arguments);
    System system(arguments);
    arguments.reject_unknown();
    const Measurement measurement = benchmark.measure(system);
    print_report(Benchmark::kName, System::kName, system.workers(), arguments, measurement);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

}  // namespace kumiko::bench
