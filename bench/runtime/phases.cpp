// phases: a loop of fork and join, again and again, so that workers wait at the end of each phase
// for the last one. Equal parts of fixed work; how long a phase takes is for the caller to choose.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "support/program.hpp"

namespace kumiko::bench {
namespace {

/// Calls function(i) for each of `parts` in each of `phases`, the way each system has such a loop.
#ifdef _OPENMP
template <class Function>
void run_phases(System& system, long phases, std::size_t parts, const Function& function) {
  for (long phase = 0; phase < phases; ++phase) {
#pragma omp parallel for num_threads(system.workers())
    for (std::size_t i = 0; i < parts; ++i) function(i);
  }
}
#else
template <class Function>
void run_phases(System& system, long phases, std::size_t parts, const Function& function) {
  system.run([&] {
    for (long phase = 0; phase < phases; ++phase) {
      System::Group group;
      for (std::size_t i = 0; i < parts; ++i) group.run([&function, i] { function(i); });
      group.wait();
    }
  });
}
#endif

/// A chain of `steps`, each of which needs the one before. The shift keeps compilers from making
/// several multiplications one, as clang++ does where there is an addition only.
std::uint64_t mixed(std::uint64_t value, long steps) {
  constexpr std::uint64_t kMultiplier = 6364136223846793005U;  // of Knuth's MMIX generator
  for (long step = 0; step < steps; ++step) value = (value ^ (value >> 29)) * kMultiplier + 1;
  return value;
}

class Phases {
 public:
  static constexpr std::string_view kName = "phases";

  explicit Phases(Arguments& arguments)
      : phases_(arguments.integer("phases", 1000)),
        parts_(static_cast<std::size_t>(arguments.integer("parts", 16))),
        steps_(arguments.integer("steps", 1000)) {}

  Measurement measure(System& system) const {
    std::vector<std::uint64_t> values(parts_);
    const auto part = [&](std::size_t i) { values[i] = mixed(values[i] + i, steps_); };
    run_phases(system, 1, parts_, part);  // starts the workers
    const double seconds = seconds_of([&] { run_phases(system, phases_, parts_, part); });
    const std::uint64_t sum = std::accumulate(values.begin(), values.end(), std::uint64_t{0});
    return {seconds,
            static_cast<std::uint64_t>(phases_),
            {{"sum", static_cast<std::int64_t>(sum >> 1)}}};
  }

 private:
  long phases_;
  std::size_t parts_;
  long steps_;  ///< of each part
};

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  return kumiko::bench::program_main<kumiko::bench::Phases>(argc, argv);
}
