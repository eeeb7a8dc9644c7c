// A refinement criterion of one's own, for a case that is there: refine around the place where the
// bell is known to be, however steep the field is. The mesh must have followed it.
//
//     build/release/bin/example_own_criterion
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/plugin/registry.hpp>

namespace amr = kumiko::amr;

namespace {

/// From the bell's middle, which circles about (0.5, 0.5) and starts at (0.5, 0.75).
double distance(double x, double y, double time) {
  return std::hypot(x - 0.5 + 0.25 * std::sin(time), y - 0.5 - 0.25 * std::cos(time));
}

/// The larger, the nearer. Called for many patches at once, from any thread.
void nearness(const amr::RefinementPatch& patch, std::span<double> indicator) {
  for (std::size_t at = 0; at < indicator.size(); ++at) {
    indicator[at] = 1.0 / distance(patch.points.x[at], patch.points.y[at], patch.time);
  }
}

}  // namespace

int main() {
  const auto turning_bell = kumiko::plugin::find_case("gaussian")->make({});
  const auto solver = kumiko::plugin::find_solver("semi_lagrangian_cubic")->make({});
  const auto backend = amr::make_backend("threads", 0);
  amr::SimulationOptions options;
  options.points_x = options.points_y = 64;
  options.levels = 2;
  options.steps = 320;
  options.refinement.criterion = amr::Criterion::kUser;
  options.refinement.indicator = nearness;
  options.refinement.threshold = 1.0 / 0.2;  // refine where the bell is nearer than 0.2
  amr::Simulation run(*turning_bell, *solver, *backend, options);
  run.advance(160);  // half a revolution

  const double width = 1.0 / run.hierarchy().geometry().patches_x(1);
  const amr::Level& fine = run.hierarchy().level(1);
  double farthest = 0.0;
  for (std::size_t slot = 0; slot < fine.size(); ++slot) {
    const amr::PatchId id = fine.patch(slot).id();
    farthest = std::max(farthest, distance((id.i + 0.5) * width, (id.j + 0.5) * width, run.time()));
  }
  const auto errors = amr::error_norms(run.hierarchy(), *turning_bell, run.time(), *backend);
  std::printf("%zu fine patches, %.2f away at most; RMS error %.1e\n", fine.size(), farthest,
              errors->rms);
  return !fine.empty() && farthest < 0.2 + width && errors->rms < 2e-3 ? EXIT_SUCCESS
                                                                       : EXIT_FAILURE;
}
