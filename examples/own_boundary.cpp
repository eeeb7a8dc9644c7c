// A case of one's own, with boundary values of its own: what enters on the left has the value 2,
// and drives the 1 that was there out on the right. The velocity carries the front by one point a
// step, so that the result is exact.
//
//     build/release/bin/example_own_boundary
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/plugin/registry.hpp>

namespace amr = kumiko::amr;

namespace {

class Front final : public amr::Case {
 public:
  amr::Boundaries boundaries() const override {
    const amr::Boundary inflow{amr::BoundaryKind::kFixedValue, 2.0};
    const amr::Boundary outflow{amr::BoundaryKind::kOutflow};
    const amr::Boundary periodic{amr::BoundaryKind::kPeriodic};
    return {inflow, outflow, periodic, periodic};  // left, right, bottom, top
  }
  double end_time() const override { return 1.0; }
  void initial(amr::Points, int, std::span<double> values) const override {
    std::fill(values.begin(), values.end(), 1.0);
  }
  void velocity(amr::Points, double, amr::Vectors velocity) const override {
    std::fill(velocity.x.begin(), velocity.x.end(), 1.0);
    std::fill(velocity.y.begin(), velocity.y.end(), 0.0);
  }
  bool steady_velocity() const override { return true; }
  bool exact(amr::Points points, int, double time, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) values[at] = points.x[at] < time ? 2.0 : 1.0;
    return true;
  }
};

}  // namespace

int main() {
  const Front front;
  const auto solver = kumiko::plugin::find_solver("semi_lagrangian_cubic")->make({});
  const auto backend = amr::make_backend("threads", 0);
  amr::SimulationOptions options;
  options.points_x = options.points_y = 64;
  options.levels = 2;
  options.steps = 64;  // as many as points: one point a step
  amr::Simulation run(front, *solver, *backend, options);
  run.advance(40);
  const auto errors = amr::error_norms(run.hierarchy(), front, run.time(), *backend);
  std::printf("the front is at x = %.3f; largest error %.1e\n", run.time(), errors->linf);
  return errors->linf < 1e-12 ? EXIT_SUCCESS : EXIT_FAILURE;
}
