#include "experiments/scaling.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>

#include <kumiko/amr/backend.hpp>
#include <kumiko/runtime/cpu_budget.hpp>

#include "experiments/counts.hpp"
#include "experiments/rank_launcher.hpp"
#include "options/commands.hpp"
#include "run/run_parts.hpp"
#include "run/setup_warnings.hpp"
#include "run/signals.hpp"
#include "terminal/counted.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

using Json = nlohmann::ordered_json;

/// Processes that can be asked for.
constexpr int kMostRanks = 65536;

/// The options of `kumiko scaling`.
struct ScalingRequest : CaseRequest, OutputRequest {
  std::string worker_list;  ///< empty: doubled up to the cores; of ranks, one
  std::string rank_list;    ///< empty: backends are compared
  std::string launcher;     ///< of ranks; empty: that of an MPI that is here
  std::vector<std::string> backends = {"threads", "pthread", "openmp"};
  int repetitions = 1;  ///< of each run
};

constexpr const char* kReferenceBackend = "pthread";
constexpr const char* kSerial = "serial";
constexpr const char* kRanksBackend = "threads";  ///< the only one

/// In rising order. \param usual  where the request names none
std::vector<int> workers_of(const ScalingRequest& request, const std::string& usual) {
  const std::string& list = request.worker_list.empty() ? usual : request.worker_list;
  return parse_counts("workers", list, kMostWorkers);
}

/// From few ranks to many, with few workers and many.
std::vector<ScalingPoint> points_of_ranks(const ScalingRequest& request) {
  const std::vector<int> workers = workers_of(request, "1");
  std::vector<ScalingPoint> points;
  for (const int ranks : parse_counts("ranks", request.rank_list, kMostRanks)) {
    for (const int count : workers) points.push_back({{}, kRanksBackend, ranks, count});
  }
  return points;
}

/// The reference, then what was asked for: backend by backend, from few workers to many.
std::vector<ScalingPoint> points_of(const ScalingRequest& request) {
  if (!request.rank_list.empty()) return points_of_ranks(request);
  // Doubled from one on, and the cores.
  const std::vector<int> workers =
      workers_of(request, fmt::format("1..{}", runtime::available_cores()));
  std::vector<ScalingPoint> points = {{{}, kReferenceBackend, 1, 1}};
  for (const std::string& backend : request.backends) {
    for (const int count : backend == kSerial ? std::vector{1} : workers) {
      const bool is_there = std::ranges::any_of(points, [&](const ScalingPoint& other) {
        return other.backend == backend && other.workers == count;
      });
      if (!is_there) points.push_back({{}, backend, 1, count});
    }
  }
  return points;
}

Setup setup_of(const SetupRequest& request, const ScalingPoint& point) {
  SetupRequest own = request;
  own.workers = point.workers;
  return load_setup(own);
}

/// The first run's state is everybody's.
void check_state(const Scaling& scaling, const ScalingPoint& point, const Json& summary) {
  const auto hash_of = [](const Json& of) { return of.at("state_hash").get<std::string>(); };
  const ScalingPoint& reference = scaling.reference();
  if (!reference.is_measured() || hash_of(reference.summary) == hash_of(summary)) return;
  throw std::runtime_error(fmt::format(
      "the results differ: {} ended in the state {}, {} in {}; the solver or the case does not "
      "compute the same each time",
      scaling.label_of(reference), hash_of(reference.summary), scaling.label_of(point),
      hash_of(summary)));
}

/// Reads the request and tries every point's first state, so that a wrong request is refused before
/// the first run. Throws RequestError.
Scaling plan_scaling(const ScalingRequest& request) {
  Scaling scaling;
  scaling.cores = runtime::available_cores();
  scaling.repetitions = request.repetitions;
  scaling.is_of_ranks = !request.rank_list.empty();
  scaling.points = points_of(request);
  const Setup file = load_setup(request);
  const std::string given = file.source.override_of(kWorkersKey);
  refuse_if(!given.empty(),
            "{}: 'kumiko scaling' sets this key itself; name the numbers of workers with --workers "
            "N1,N2,...",
            given);
  for (const ScalingPoint& point : scaling.points) {
    const Setup setup = setup_of(request, point);
    make_simulation(setup, *load_backend(point.backend, setup));
  }
  warn_of(file);
  scaling.case_name = file.run.case_name;
  scaling.solver = file.run.solver_name;
  return scaling;
}

/// Runs a point once. \return its summary
/// \param launcher  nullptr: in this process
Json run_point(const ScalingRequest& request, const Scaling& scaling, const ScalingPoint& point,
               const RankLauncher* launcher) {
  if (launcher != nullptr) {
    return launcher->run(request, request.output, point.ranks, point.workers);
  }
  return io::to_json(
      measure(request, setup_of(request, point), point.backend, scaling.label_of(point)));
}

/// Runs all points in turn, and again for each repetition; calls `after` after each run. Throws
/// what run_point() throws, and std::runtime_error when two runs end in different states.
void run_scaling(const ScalingRequest& request, Scaling& scaling, const RankLauncher* launcher,
                 const std::function<void()>& after) {
  // All once, then all again: what slows the machine for a while slows no point more. Every other
  // time backwards, so that no point always comes after the same one.
  for (int repetition = 0; repetition < request.repetitions; ++repetition) {
    const std::size_t count = scaling.points.size();
    for (std::size_t turn = 0; turn < count; ++turn) {
      ScalingPoint& point = scaling.points[repetition % 2 == 0 ? turn : count - 1 - turn];
      Json summary = run_point(request, scaling, point, launcher);
      check_state(scaling, point, summary);
      point.imbalance.push_back(summary.at("imbalance"));
      if (point.add(summary.at("wall_s"))) point.summary = std::move(summary);
      after();
    }
  }
  scaling.complete = true;
}

/// More workers than cores share them: that is a measurement of something else.
void warn(const Scaling& scaling) {
  const int most = scaling.most_workers();
  if (most <= scaling.cores) return;
  print_warning(
      "{} workers share {}: points beyond {} do not show the speed-up on a larger machine", most,
      counted(scaling.cores, "core"), scaling.cores);
}

int measure_scaling(ScalingRequest& request) {
  refuse_quiet_for_nothing(request, request.output, "scaling run", kSweepFilesRemedy);
  prepare_to_step(request);
  heed_signals(false);
  check_sweep_files(request.output, kScalingFiles, request.overwrite, "scaling run");
  warn_of_files(request.overrides, "scaling run");
  std::optional<RankLauncher> launcher;
  if (!request.rank_list.empty()) launcher.emplace(request.launcher);
  begin_stepping();
  Scaling scaling = plan_scaling(request);
  prepare_summary(request.summary);
  // A launcher that was named may have other hosts.
  if (request.launcher.empty()) warn(scaling);
  const auto write = [&] {
    write_sweep_files(request.output, kScalingFiles, scaling, while_running(request.summary));
  };
  // Where the ranks, too, write.
  if (!request.output.empty()) std::filesystem::create_directories(request.output);
  std::string ended;
  try {
    run_scaling(request, scaling, launcher ? &*launcher : nullptr, write);
  } catch (const std::exception& error) {
    if (!end_requested() || !scaling.reference().is_measured()) throw;
    ended = error.what();
  }
  write_sweep_files(request.output, kScalingFiles, scaling, request.summary);
  if (!request.quiet) print_found(request.output, request.summary, scaling_table(scaling));
  if (!ended.empty()) throw std::runtime_error(ended);
  return kDone;
}

}  // namespace

Action scaling_command(Options& options) {
  const auto request = std::make_shared<ScalingRequest>();
  add_case(options, *request, {.has_workers = false});
  options.add("-w,--workers", &request->worker_list,
              "N1,N2,...: numbers of workers; FIRST..LAST: doubled from first to last (default: "
              "from 1 up to the cores; with --ranks, 1), of each rank",
              {.check = not_empty()});
  options.add("--ranks", &request->rank_list,
              "R1,R2,..., or FIRST..LAST: instead of backends, numbers of processes that share the "
              "run; speed-up is counted from the fewest",
              {.check = not_empty()});
  options.add(
      "--launcher", &request->launcher,
      "the command that starts ranks, as the shell reads it, with {ranks} for their number "
      "and {workers} for that of each one's workers, such as 'srun -n {ranks} -c {workers}' "
      "(default: mpirun of the MPI that is here)",
      {.check = not_empty()});
  options.add("--backends", &request->backends,
              "A,B,...: how patches are shared out. Speed-up is counted from pthread on one "
              "worker, which runs in any case; serial, if it is named, runs on one worker only",
              {.lists = true, .check = one_of(amr::backend_names())});
  add_repetitions(options, request->repetitions, "runs of each, in turn");
  add_output(
      options, *request,
      "folder for scaling.csv, scaling.json, speed_up.svg and efficiency.svg (default: none)",
      "replace an earlier scaling run's files");
  return [request, options] {
    const bool has_ranks = !request->rank_list.empty();
    refuse_if(has_ranks && options.is_given("--backends"),
              "--ranks and --backends: only backend 'threads' runs on ranks; give one of the two");
    refuse_if(!has_ranks && !request->launcher.empty(),
              "--launcher starts ranks and needs --ranks");
    return measure_scaling(*request);
  };
}

}  // namespace kumiko::app
