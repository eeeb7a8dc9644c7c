#include "experiments/scaling.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>

#include <fmt/core.h>

#include <kumiko/amr/backend.hpp>
#include <kumiko/runtime/cpu_budget.hpp>

#include "commands.hpp"
#include "counted.hpp"
#include "execute.hpp"
#include "terminal.hpp"

namespace kumiko::app {

namespace {

/// What `kumiko scaling` is asked for.
struct ScalingRequest : CaseRequest, OutputRequest {
  std::vector<int> worker_counts;  ///< none: doubled up to the cores
  std::vector<std::string> backends = {"threads", "pthread", "openmp"};
  int repetitions = 1;  ///< of each run
};

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
  std::vector<ScalingPoint> points = {{{}, kReferenceBackend, 1}};
  for (const std::string& backend : request.backends) {
    for (const int count : backend == kSerial ? std::set<int>{1} : workers) {
      const bool is_there = std::ranges::any_of(points, [&](const ScalingPoint& other) {
        return other.backend == backend && other.workers == count;
      });
      if (!is_there) points.push_back({{}, backend, count});
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

/// Reads the request and tries every point's first state, so that a wrong request is refused before
/// the first run. Throws RequestError.
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

/// Runs all points in turn, and again for each repetition; calls `after` after each run. Throws
/// what execute() throws, and std::runtime_error when two runs end in different states.
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

/// More workers than cores share them: that is a measurement of something else.
void warn(const Scaling& scaling) {
  const int most = scaling.most_workers();
  if (most <= scaling.cores) return;
  print_to_stderr(
      "kumiko: warning: {} workers share {}: points beyond {} say nothing of the speed-up on a "
      "larger machine\n",
      most, counted(scaling.cores, "core"), scaling.cores);
}

int measure_scaling(ScalingRequest& request) {
  prepare_to_step(request);
  heed_signals();
  check_sweep_files(request.output, kScalingFiles, request.overwrite, "scaling run");
  Scaling scaling = plan_scaling(request);
  prepare_summary(request.summary);
  warn(scaling);
  const auto write = [&] {
    write_sweep_files(request.output, kScalingFiles, scaling, request.summary);
  };
  write();
  run_scaling(request, scaling, write);
  write();
  fmt::print("{}", scaling_table(scaling));
  if (!request.output.empty()) fmt::print("\nfiles in {}/\n", request.output.string());
  return kDone;
}

}  // namespace

Action scaling_command(Options& options) {
  const auto request = std::make_shared<ScalingRequest>();
  add_case(options, *request, {.has_workers = false});
  options.add("--workers", &request->worker_counts,
              "N1,N2,...: numbers of workers (default: 1, 2, 4, ... up to the cores)",
              {.lists = true, .check = between(1, kMostWorkers)});
  options.add("--backends", &request->backends,
              "A,B,...: how patches are shared out; pthread on one worker, which speed-up is "
              "counted from, runs in any case, and serial on one worker only",
              {.lists = true, .check = one_of(amr::backend_names())});
  add_repetitions(options, request->repetitions, "runs of each, in turn");
  add_output(
      options, *request,
      "folder for scaling.csv, scaling.json, speed_up.svg and efficiency.svg (default: none)",
      "replace an earlier scaling run's files");
  return [request] { return measure_scaling(*request); };
}

}  // namespace kumiko::app
