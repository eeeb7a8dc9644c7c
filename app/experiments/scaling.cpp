#include "experiments/scaling.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <fmt/core.h>

#include <kumiko/runtime/cpu_budget.hpp>

#include "counted.hpp"
#include "problem.hpp"

namespace kumiko::app {

namespace {

constexpr const char* kReferenceBackend = "pthread";
constexpr const char* kSerial = "serial";

std::string label_of(const ScalingPoint& point) {
  return fmt::format("{}, {}", point.backend, counted(point.workers, "worker"));
}

/// Doubled from one on, and the cores.
std::set<int> usual_counts() {
  const int cores = runtime::available_cores();
  std::set<int> counts = {cores};
  for (int count = 1; count < cores; count *= 2) counts.insert(count);
  return counts;
}

/// The reference, then what was asked for: backend by backend, from few workers to many.
std::vector<ScalingPoint> points_of(const ScalingRequest& request) {
  std::set<int> workers(request.worker_counts.begin(), request.worker_counts.end());
  if (workers.empty()) workers = usual_counts();
  std::vector<ScalingPoint> points = {{kReferenceBackend, 1}};
  for (const std::string& backend : request.backends) {
    for (const int count : backend == kSerial ? std::set<int>{1} : workers) {
      const bool is_there = std::ranges::any_of(points, [&](const ScalingPoint& other) {
        return other.backend == backend && other.workers == count;
      });
      if (!is_there) points.emplace_back(backend, count);
    }
  }
  return points;
}

Problem problem_of(const ProblemRequest& request, const ScalingPoint& point) {
  ProblemRequest own = request;
  own.workers = point.workers;
  return load_problem(own);
}

/// The first run's state is everybody's.
void check_state(const Scaling& scaling, const ScalingPoint& point, const io::RunSummary& summary) {
  const ScalingPoint& reference = scaling.reference();
  if (!reference.is_measured() || reference.summary.state_hash == summary.state_hash) return;
  throw std::runtime_error(fmt::format(
      "the results differ: {} ended in the state {}, {} in {}; the solver or the case does not "
      "compute the same each time",
      label_of(reference), reference.summary.state_hash, label_of(point), summary.state_hash));
}

}  // namespace

double speed_up(const Scaling& scaling, double wall_s) {
  return scaling.reference().median_wall_s() / wall_s;
}

Scaling plan_scaling(const ScalingRequest& request) {
  Scaling scaling;
  scaling.cores = runtime::available_cores();
  scaling.repetitions = request.repetitions;
  scaling.points = points_of(request);
  for (const ScalingPoint& point : scaling.points) {
    const Problem problem = problem_of(request, point);
    make_simulation(problem, *load_backend(point.backend, problem));
  }
  const Problem problem = load_problem(request);
  scaling.case_name = problem.run.case_name;
  scaling.solver = problem.run.solver_name;
  return scaling;
}

void run_scaling(const ScalingRequest& request, Scaling& scaling,
                 const std::function<void()>& after) {
  // All once, then all again: what slows the machine for a while slows no point more. Every other
  // time backwards, so that no point always comes after the same one.
  for (int repetition = 0; repetition < request.repetitions; ++repetition) {
    const std::size_t count = scaling.points.size();
    for (std::size_t turn = 0; turn < count; ++turn) {
      ScalingPoint& point = scaling.points[repetition % 2 == 0 ? turn : count - 1 - turn];
      io::RunSummary summary =
          measure(request, problem_of(request, point), point.backend, label_of(point));
      check_state(scaling, point, summary);
      point.add(std::move(summary));
      after();
    }
  }
  scaling.complete = true;
}

}  // namespace kumiko::app
