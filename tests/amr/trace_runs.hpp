// Short runs with a trace, in every way there is to step.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <kumiko/amr/trace.hpp>

#include "fixtures.hpp"

namespace kumiko::amr::test {

inline std::vector<Way> traced_ways() {
  std::vector<Way> ways;
  for (const int workers : {1, 2, 3}) ways.push_back({"threads", workers, Schedule::kDataflow});
  for (const char* backend : {"threads", "pthread", "openmp"}) {
    if (backend == std::string("openmp") && !kOpenMpIsTestable) continue;
    for (const int workers : {1, 3}) ways.push_back({backend, workers, Schedule::kLevel});
  }
  ways.push_back({"serial", 1, Schedule::kLevel});
  return ways;
}

/// What decides on the pieces of a step.
struct Scheme {
  std::string name;
  std::string solver;
  TimeInterpolation interpolation;
  bool subcycling = true;
  bool periodic = false;
  int points = 64;
};

inline void PrintTo(const Scheme& scheme, std::ostream* out) { *out << scheme.name; }

inline std::vector<Scheme> traced_schemes() {
  const std::string nodes = "semi_lagrangian_cubic";
  const std::string cells = "finite_volume_upwind3";
  // What a sanitizer looks for it finds in one run with each kind of pieces.
  if (kSanitized) {
    return {{"CharacteristicPeriodic", nodes, TimeInterpolation::kCharacteristic, true, true},
            {"LinearOnTwoByTwoPatches", nodes, TimeInterpolation::kLinear, true, true, 32},
            {"QuadraticWithFluxes", cells, TimeInterpolation::kQuadratic, true, true}};
  }
  return {{"Characteristic", nodes, TimeInterpolation::kCharacteristic},
          {"CharacteristicPeriodic", nodes, TimeInterpolation::kCharacteristic, true, true},
          {"CharacteristicOneStep", nodes, TimeInterpolation::kCharacteristic, false, true},
          {"Linear", nodes, TimeInterpolation::kLinear},
          {"LinearPeriodic", nodes, TimeInterpolation::kLinear, true, true},
          {"LinearOneStep", nodes, TimeInterpolation::kLinear, false},
          {"LinearOnTwoByTwoPatches", nodes, TimeInterpolation::kLinear, true, true, 32},
          {"LinearWithFluxes", cells, TimeInterpolation::kLinear, true, true},
          {"QuadraticWithFluxes", cells, TimeInterpolation::kQuadratic, true, true},
          {"QuadraticOneStepWithFluxes", cells, TimeInterpolation::kQuadratic, false, true}};
}

/// A disk that a uniform flow carries over a corner of the domain: three levels, and regrids.
class TracedRun {
 public:
  static constexpr int kInterval = 3;

  TracedRun(const Way& way, const Scheme& scheme)
      : backend_(make_backend(way.backend, way.workers)),
        solver_(plugin::find_solver(scheme.solver)
                    ->make(defaults(plugin::find_solver(scheme.solver)->parameters))) {
    problem_.u = [](double x, double y) { return std::hypot(x - 0.8, y - 0.7) < 0.12 ? 1.0 : 0.0; };
    problem_.vx = [](double, double) { return 0.6; };
    problem_.vy = [](double, double) { return 0.4; };
    if (!scheme.periodic) problem_.sides = {BoundaryKind::kOutflow, BoundaryKind::kOutflow, 0.0};
    SimulationOptions options = run_options(scheme.points, 3, scheme.subcycling ? 100 : 400);
    options.schedule = way.schedule;
    options.time_interpolation = scheme.interpolation;
    options.subcycling = scheme.subcycling;
    options.refinement.interval = kInterval;
    options.refinement.check_finite = 4;
    simulation_ = std::make_unique<Simulation>(problem_, *solver_, *backend_, options);
  }

  Simulation& simulation() { return *simulation_; }

  /// Base steps 2 to 8 in two parts, with regrids before steps 3 and 6, and a check before step 5.
  Trace trace() {
    simulation_->advance(2);
    simulation_->start_trace();
    simulation_->advance(3);
    simulation_->advance(4);
    Trace trace = simulation_->stop_trace();
    check(trace);
    return trace;
  }

 private:
  FunctionCase problem_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Solver> solver_;
  std::unique_ptr<Simulation> simulation_;
};

/// Who a piece waits for, the other way round than Trace::successors.
inline std::vector<std::vector<std::uint32_t>> predecessors_of(const Trace& trace) {
  std::vector<std::vector<std::uint32_t>> all(trace.pieces.size());
  for (std::uint32_t piece = 0; piece < trace.pieces.size(); ++piece) {
    for (const std::uint32_t later : trace.successors_of(piece)) all[later].push_back(piece);
  }
  return all;
}

}  // namespace kumiko::amr::test
