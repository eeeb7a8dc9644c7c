// A run of the engine by C++: a case and a solver by name, a checkpoint on the way, and a second
// run that goes on from it. Both end with the same bits, near the exact solution.
//
//     build/release/bin/example_run
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/state_writer.hpp>
#include <kumiko/plugin/registry.hpp>

namespace amr = kumiko::amr;
namespace io = kumiko::io;
namespace plugin = kumiko::plugin;

int main() {
  const auto turning_bell = plugin::find_case("gaussian")->make({});
  const auto solver = plugin::find_solver("semi_lagrangian_cubic")->make({});
  const auto backend = amr::make_backend("threads", 0);  // on all cores
  amr::SimulationOptions options;
  options.points_x = options.points_y = 64;
  options.levels = 2;
  options.steps = 320;  // for one revolution
  amr::Simulation run(*turning_bell, *solver, *backend, options);

  const std::filesystem::path file = io::checkpoint_name(300);
  io::StateWriter writer(*turning_bell, *backend, {});
  run.advance(300);
  writer.write_checkpoint(file, run, {});
  run.advance(20);  // while the file is written
  writer.settle();

  amr::Simulation second(*turning_bell, *solver, *backend, options, io::read_checkpoint(file).run);
  second.advance(20);
  std::filesystem::remove(file);
  std::filesystem::remove(io::sidecar_of(file));

  const auto errors = amr::error_norms(run.hierarchy(), *turning_bell, run.time(), *backend);
  const bool same = amr::state_hash(run.hierarchy()) == amr::state_hash(second.hierarchy());
  std::printf("RMS error %.1e; the second run ends %s\n", errors->rms,
              same ? "with the same bits" : "elsewhere");
  return same && errors->rms < 2e-3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
