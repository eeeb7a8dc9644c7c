// Contract: from a trace that one worker has recorded, the model predicts how long two take, within
// 10 %, by dataflow, level by level and in static strips. Patches take set times here, and sleep
// meanwhile, so that what else the machine does matters little.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/amr/solver.hpp>
#include <kumiko/viz/schedule_model.hpp>

namespace kumiko::viz {
namespace {

/// A still field. Two finer levels are wanted in a disk above the middle.
class StillCase final : public amr::Case {
 public:
  amr::Boundaries boundaries() const override {
    return {amr::BoundaryKind::kPeriodic, amr::BoundaryKind::kPeriodic, 0.0};
  }
  double end_time() const override { return 1.0; }
  void initial(amr::Points points, int, std::span<double> values) const override {
    std::fill_n(values.begin(), points.size(), 1.0);
  }
  void velocity(amr::Points points, double, amr::Vectors velocity) const override {
    std::fill_n(velocity.x.begin(), points.size(), 0.0);
    std::fill_n(velocity.y.begin(), points.size(), 0.0);
  }
  bool refinement_indicator(const amr::RefinementPatch& patch,
                            std::span<double> values) const override {
    for (std::size_t at = 0; at < values.size(); ++at) {
      const double distance = std::hypot(patch.points.x[at] - 0.45, patch.points.y[at] - 0.65);
      values[at] = distance < (patch.level == 0 ? 0.2 : 0.12) ? 1.0 : 0.0;
    }
    return true;
  }
};

/// Copies. A patch takes the longer the higher and the farther to the right it lies.
class SlowSolver final : public amr::Solver {
 public:
  SlowSolver() {
    traits_.name = "slow";
    traits_.ghosts = 1;
  }
  const amr::SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return 1; }
  double prepare(const amr::Case&, const amr::PatchPoints& patch, double, double,
                 std::span<double> coefficients) const override {
    const double x = patch.first_i * patch.spacing;
    const double y = patch.first_j * patch.spacing;
    coefficients[0] = 1e-6 * (400.0 + 1500.0 * y * y + 500.0 * x);  // seconds
    return 0.0;
  }
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    // The system rounds sleep up by 50 us unless told.
    thread_local const int set = prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    static_cast<void>(set);
    const auto until = std::chrono::steady_clock::now() +
                       std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                           std::chrono::duration<double>(coefficients[0]));
    for (int component = 0; component < before.components(); ++component) {
      after.interior(component) = before.interior(component);
    }
    std::this_thread::sleep_until(until);
  }

 private:
  amr::SolverTraits traits_;
};

constexpr int kSteps = 2;
constexpr int kRuns = 4;

amr::SimulationOptions options(amr::Schedule schedule) {
  amr::SimulationOptions options;
  options.points_x = options.points_y = 64;
  options.levels = 3;
  options.steps = 64;
  options.schedule = schedule;
  options.time_interpolation = amr::TimeInterpolation::kLinear;
  options.refinement.criterion = amr::Criterion::kUser;
  options.refinement.threshold = 0.5;
  options.refinement.interval = options.steps;
  options.refinement.check_finite = 0;
  return options;
}

/// A run of a few base steps without a regrid.
class Run {
 public:
  Run(const std::string& backend, int workers, amr::Schedule schedule)
      : backend_(amr::make_backend(backend, workers)),
        simulation_(case_, solver_, *backend_, options(schedule)) {
    simulation_.advance(1);
  }

  /// @return seconds
  double advance() {
    const auto begin = std::chrono::steady_clock::now();
    simulation_.advance(kSteps);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  amr::Trace record() {
    simulation_.start_trace();
    advance();
    return simulation_.stop_trace();
  }

 private:
  StillCase case_;
  SlowSolver solver_;
  std::unique_ptr<amr::Backend> backend_;
  amr::Simulation simulation_;
};

/// The least disturbed of some recordings.
amr::Trace trace_of_one_worker() {
  Run run("threads", 1, amr::Schedule::kDataflow);
  amr::Trace best = run.record();
  for (int repetition = 1; repetition < kRuns; ++repetition) {
    amr::Trace trace = run.record();
    if (trace.end_ns < best.end_ns) best = std::move(trace);
  }
  return best;
}

double measured_seconds(const std::string& backend, int workers, amr::Schedule schedule) {
  Run run(backend, workers, schedule);
  double least = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < kRuns; ++repetition) {
    least = std::min(least, run.advance());
  }
  return least;
}

TEST(Prediction, GivenATraceOfOneWorkerThenTwoAreForetoldWithinATenth) {
  struct Way {
    ScheduleKind kind;
    const char* backend;
    amr::Schedule schedule;
  };
  constexpr std::array<Way, 3> kWays = {
      {{ScheduleKind::kDataflow, "threads", amr::Schedule::kDataflow},
       {ScheduleKind::kLevel, "threads", amr::Schedule::kLevel},
       {ScheduleKind::kStatic, "pthread", amr::Schedule::kLevel}}};
  const amr::Trace trace = trace_of_one_worker();
  amr::check(trace);
  EXPECT_EQ(trace.levels, 3);
  const ScheduleModel model(trace, estimate_overheads(trace));
  for (const Way& way : kWays) {
    const double alone = model.predict(way.kind, 1).seconds;
    const double predicted = model.predict(way.kind, 2).seconds;
    const double measured = measured_seconds(way.backend, 2, way.schedule);
    EXPECT_NEAR(predicted / measured, 1.0, 0.1)
        << to_string(way.kind) << ": predicted " << predicted << " s, measured " << measured
        << " s; one worker " << alone << " s";
    RecordProperty(std::string(to_string(way.kind)), std::to_string(predicted / measured));
    RecordProperty(std::string(to_string(way.kind)) + "_speed_up",
                   std::to_string(alone / measured));
  }
  // The patches' times make strips a bad choice, which is to be seen.
  EXPECT_GT(model.predict(ScheduleKind::kStatic, 2).seconds,
            1.15 * model.predict(ScheduleKind::kDataflow, 2).seconds);
}

}  // namespace
}  // namespace kumiko::viz
