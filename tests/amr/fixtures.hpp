// Small cases and meshes for the tests of the engine.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/plugin/registry.hpp>

namespace kumiko::amr::test {

/// One component, two ghost layers.
inline constexpr PatchShape kShape{1, 2, 0};

/// GCC's OpenMP library is not built for ThreadSanitizer, which then sees races between a loop and
/// what comes before and after it.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kOpenMpIsTestable = false;
#else
inline constexpr bool kOpenMpIsTestable = true;
#endif

/// Whether a sanitizer slows the tests down. clang tells it otherwise than g++.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

using ScalarField = std::function<double(double, double)>;

/// A case made of functions: initial data u, velocity (vx, vy), periodic unless told.
struct FunctionCase : Case {
  ScalarField u = [](double, double) { return 0.0; };
  ScalarField vx = [](double, double) { return 0.0; };
  ScalarField vy = [](double, double) { return 0.0; };
  double duration = 1.0;
  Boundaries sides{BoundaryKind::kPeriodic, BoundaryKind::kPeriodic, 0.0};
  Extent size;
  bool steady = true;
  /// What lies beyond prescribed sides: (side, x, y, component, time).
  std::function<double(Side, double, double, int, double)> beyond;

  Extent extent() const override { return size; }
  Boundaries boundaries() const override { return sides; }
  void boundary_values(Side side, Points points, int component, double time,
                       std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      values[at] = beyond(side, points.x[at], points.y[at], component, time);
    }
  }
  double end_time() const override { return duration; }
  bool steady_velocity() const override { return steady; }
  void initial(Points points, int, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) values[at] = u(points.x[at], points.y[at]);
  }
  void velocity(Points points, double, Vectors velocity) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      velocity.x[at] = vx(points.x[at], points.y[at]);
      velocity.y[at] = vy(points.x[at], points.y[at]);
    }
  }
};

/// A pulse in a wind that turns, and grows so fast from a breeze to a storm that long steps are
/// refused; then it falls.
struct Gust : FunctionCase {
  Gust() {
    u = [](double x, double y) {
      return std::exp(-80.0 * ((x - 0.4) * (x - 0.4) + (y - 0.6) * (y - 0.6)));
    };
    duration = 0.5;
    steady = false;
  }
  void velocity(Points points, double time, Vectors velocity) const override {
    const double strength = 0.2 + 8.0 * time * time * (1.0 - time);
    for (std::size_t at = 0; at < points.size(); ++at) {
      velocity.x[at] = strength * (1.0 + points.y[at] * points.y[at]);
      velocity.y[at] = strength * (points.x[at] - 2.0 * time);
    }
  }
};

/// Another solver's steps, with traits that a test changes.
class WrappedSolver : public Solver {
 public:
  explicit WrappedSolver(std::unique_ptr<Solver> inner)
      : inner_(std::move(inner)), traits_(inner_->traits()) {
    traits_.list_kernel = false;
  }
  const SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return inner_->coefficients(); }
  double prepare(const Case& problem, const PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    return inner_->prepare(problem, patch, time, dt, coefficients);
  }
  void advance(ConstPatchView before, std::span<const double> coefficients,
               PatchView after) const override {
    inner_->advance(before, coefficients, after);
  }
  void advance_with_fluxes(ConstPatchView before, std::span<const double> coefficients,
                           PatchView after, FaceFluxes fluxes) const override {
    inner_->advance_with_fluxes(before, coefficients, after, fluxes);
  }
  void tendency(ConstPatchView state, std::span<const double> coefficients, const PointRange& range,
                PatchView tendency) const override {
    inner_->tendency(state, coefficients, range, tendency);
  }
  double state_cfl(ConstPatchView state, std::span<const double> coefficients) const override {
    return inner_->state_cfl(state, coefficients);
  }
  void displacement(const Case& problem, Points points, double time, double tau,
                    Vectors displacement) const override {
    inner_->displacement(problem, points, time, tau, displacement);
  }

 protected:
  std::unique_ptr<Solver> inner_;
  SolverTraits traits_;
};

/// A still, periodic field whose refinement is a function of level, base step and place.
struct ScriptedCase : FunctionCase {
  static constexpr int kSteps = 64;
  std::function<double(int, int, double, double)> indicator = [](int, int, double, double) {
    return 0.0;
  };

  bool refinement_indicator(const RefinementPatch& patch, std::span<double> values) const override {
    const int step = static_cast<int>(std::lround(patch.time * kSteps));
    for (std::size_t at = 0; at < values.size(); ++at) {
      values[at] = indicator(patch.level, step, patch.points.x[at], patch.points.y[at]);
    }
    return true;
  }
};

inline std::unique_ptr<Solver> cubic_solver(const std::string& departure = "first_order") {
  const auto* const factory = plugin::find_solver("semi_lagrangian_cubic");
  ParameterSet parameters = defaults(factory->parameters);
  parameters.set("departure", departure);
  return factory->make(parameters);
}

inline std::unique_ptr<Case> zalesak() { return plugin::find_case("zalesak")->make({}); }

/// Options of a run on an n × n base grid.
inline SimulationOptions run_options(int n, int levels, int steps) {
  SimulationOptions options;
  options.points_x = n;
  options.points_y = n;
  options.levels = levels;
  options.steps = steps;
  return options;
}

/// Options of a run that chooses its steps and its regrids.
inline SimulationOptions options_by_cfl(int n, int levels, double cfl) {
  SimulationOptions options = run_options(n, levels, 0);
  options.cfl = cfl;
  options.refinement.interval = 0;
  options.refinement.buffer = 4;
  return options;
}

/// Options of a run of a ScriptedCase on 64 × 64 points, which refines above 0.8.
inline SimulationOptions scripted_options(int levels) {
  SimulationOptions options = run_options(64, levels, ScriptedCase::kSteps);
  options.refinement.criterion = Criterion::kUser;
  options.refinement.threshold = 0.8;
  return options;
}

/// Sets the interior of every patch of every level from a function of the coordinates.
inline void sample(Hierarchy& hierarchy, const ScalarField& u) {
  const Geometry& geometry = hierarchy.geometry();
  for (int index = 0; index < hierarchy.max_levels(); ++index) {
    Level& level = hierarchy.level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      Patch& patch = level.patch(slot);
      for (int j = 0; j < kPatchSize; ++j) {
        for (int i = 0; i < kPatchSize; ++i) {
          patch.now()(i, j) = u(geometry.coordinate(index, patch.id().i * kPatchSize + i),
                                geometry.coordinate(index, patch.id().j * kPatchSize + j));
        }
      }
    }
  }
}

/// Patches i0..i1 by j0..j1 of a level, ends included.
inline std::vector<PatchId> block(int level, int i0, int i1, int j0, int j1) {
  std::vector<PatchId> ids;
  for (int j = j0; j <= j1; ++j) {
    for (int i = i0; i <= i1; ++i) ids.push_back({level, i, j});
  }
  return ids;
}

/// 64×64 points, and a nested island of two finer levels in the middle of the domain: level 1 has
/// patches 2..5 of 8, level 2 patches 6..9 of 16.
inline std::unique_ptr<Hierarchy> island(const Boundaries& boundaries, const PatchShape& shape,
                                         std::int32_t rank = 0) {
  auto hierarchy =
      std::make_unique<Hierarchy>(Geometry(64, 64, {1.0, 1.0}, boundaries), 3, shape, rank);
  hierarchy->change(1, block(1, 2, 5, 2, 5));
  hierarchy->change(2, block(2, 6, 9, 6, 9));
  return hierarchy;
}

/// Who steps, and in which order.
struct Way {
  std::string backend;
  int workers;
  Schedule schedule;
};

inline void PrintTo(const Way& way, std::ostream* out) {
  *out << way.backend << way.workers
       << (way.schedule == Schedule::kDataflow ? "Dataflow" : "Level");
}

}  // namespace kumiko::amr::test
