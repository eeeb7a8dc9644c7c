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
#include <kumiko/model/schedule_model.hpp>

namespace kumiko::model {
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
  /// @param scale  of all times
  explicit SlowSolver(double scale) : scale_(scale) {
    traits_.name = "slow";
    traits_.ghosts = 1;
  }
  const amr::SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return 1; }
  double prepare(const amr::Case&, const amr::PatchPoints& patch, double, double,
                 std::span<double> coefficients) const override {
    const double x = patch.first_i * patch.spacing;
    const double y = patch.first_j * patch.spacing;
    coefficients[0] = scale_ * 1e-6 * (400.0 + 1500.0 * y * y + 500.0 * x);  // seconds
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
  double scale_;
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
  Run(double scale, const std::string& backend, int workers, amr::Schedule schedule)
      : solver_(scale),
        backend_(amr::make_backend(backend, workers)),
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
amr::Trace trace_of_one_worker(double scale) {
  Run run(scale, "threads", 1, amr::Schedule::kDataflow);
  amr::Trace best = run.record();
  for (int repetition = 1; repetition < kRuns; ++repetition) {
    amr::Trace trace = run.record();
    if (trace.end_ns < best.end_ns) best = std::move(trace);
  }
  return best;
}

double measured_seconds(double scale, const std::string& backend, int workers,
                        amr::Schedule schedule) {
  Run run(scale, backend, workers, schedule);
  double least = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < kRuns; ++repetition) {
    least = std::min(least, run.advance());
  }
  return least;
}

struct Way {
  ScheduleKind kind;
  const char* backend;
  amr::Schedule schedule;
};
constexpr std::array<Way, 3> kWays = {
    {{ScheduleKind::kDataflow, "threads", amr::Schedule::kDataflow},
     {ScheduleKind::kLevel, "threads", amr::Schedule::kLevel},
     {ScheduleKind::kStatic, "pthread", amr::Schedule::kLevel}}};

/// What came of it: what was predicted over what was measured, and in words.
struct Comparison {
  std::array<double, kWays.size()> ratios{};
  std::array<double, kWays.size()> speed_ups{};
  double static_over_dataflow = 0.0;  ///< predicted for two workers
  std::string text;

  bool is_within_a_tenth() const {
    return std::all_of(ratios.begin(), ratios.end(),
                       [](double ratio) { return std::abs(ratio - 1.0) <= 0.1; });
  }
};

Comparison compare(double scale) {
  const amr::Trace trace = trace_of_one_worker(scale);
  amr::check(trace);
  EXPECT_EQ(trace.levels, 3);
  const ScheduleModel model(trace, estimate_overheads(trace));
  Comparison result;
  for (std::size_t at = 0; at < kWays.size(); ++at) {
    const Way& way = kWays[at];
    const double alone = model.predict(way.kind, 1).seconds;
    const double predicted = model.predict(way.kind, 2).seconds;
    const double measured = measured_seconds(scale, way.backend, 2, way.schedule);
    result.ratios[at] = predicted / measured;
    result.speed_ups[at] = alone / measured;
    result.text += std::string(to_string(way.kind)) + ": predicted " + std::to_string(predicted) +
                   " s, measured " + std::to_string(measured) + " s; one worker " +
                   std::to_string(alone) + " s\n";
  }
  result.static_over_dataflow = model.predict(ScheduleKind::kStatic, 2).seconds /
                                model.predict(ScheduleKind::kDataflow, 2).seconds;
  return result;
}

TEST(Prediction, GivenATraceOfOneWorkerThenTwoAreForetoldWithinATenth) {
  // A busy machine wakes who sleeps too late, by a time that matters the less the longer they
  // sleep.
  constexpr double kLargestScale = 4.0;
  Comparison result = compare(1.0);
  for (double scale = 2.0; scale <= kLargestScale && !result.is_within_a_tenth(); scale *= 2.0) {
    result = compare(scale);
  }
  EXPECT_TRUE(result.is_within_a_tenth()) << result.text;
  for (std::size_t at = 0; at < kWays.size(); ++at) {
    const std::string name(to_string(kWays[at].kind));
    RecordProperty(name, std::to_string(result.ratios[at]));
    RecordProperty(name + "_speed_up", std::to_string(result.speed_ups[at]));
  }
  // The patches' times make strips a bad choice, which is to be seen.
  EXPECT_GT(result.static_over_dataflow, 1.15);
}

}  // namespace
}  // namespace kumiko::model
