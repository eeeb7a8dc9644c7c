// kumiko compare, scaling and table: the options of the studies, which the Python package makes.
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <kumiko/amr/backend.hpp>
#include <kumiko/cluster/launch.hpp>
#include <kumiko/runtime/cpu_budget.hpp>

#include "experiments/counts.hpp"
#include "experiments/laboratory.hpp"
#include "options/commands.hpp"
#include "run/shared_options.hpp"
#include "terminal/programs.hpp"
#include "terminal/summary_file.hpp"

namespace kumiko::app {

namespace {

using Json = nlohmann::ordered_json;

/// Ranks that can be asked for.
constexpr int kMostRanks = 65536;

/// The options of every study.
struct StudyRequest : CaseRequest, OutputRequest {
  int repetitions = 1;
  std::string format = "svg";  ///< of figures
};

struct CompareRequest : StudyRequest {
  std::vector<std::string> solvers;   ///< by name
  std::vector<std::string> variants;  ///< NAME[,KEY=VALUE]...
  std::vector<std::string> sweeps;    ///< KEY=VALUE,VALUE...
  std::vector<int> resolutions;       ///< points of level 0 in x; none: the file's
  std::string norm = "rms";           ///< of the error
  std::string backend = "threads";
};

struct ScalingRequest : StudyRequest {
  std::string worker_list;  ///< empty: doubled up to the cores; of ranks, one
  std::string rank_list;    ///< empty: backends are compared
  std::string launcher;     ///< of ranks; empty: that of an MPI that is here
  std::vector<std::string> backends = {"threads", "pthread", "openmp"};
};

void add_study(Options& options, StudyRequest& request, const char* repetitions_help) {
  options.add("--repetitions", &request.repetitions, repetitions_help, {.check = between(1, 1000)});
  options.add("--format", &request.format, "of the figures, which need Python's matplotlib",
              {.check = one_of({"svg", "pdf", "png"})});
}

/// The fields that all requests have in the package.
Json fields_of(const CaseRequest& request) {
  check_summary(request.summary);
  std::error_code missing;
  refuse_if(std::filesystem::exists(request.config, missing) &&
                !std::filesystem::is_regular_file(request.config, missing) &&
                !std::filesystem::is_directory(request.config, missing),
            "'{}' can be read once alone, and a study reads it for each run; name a file",
            request.config.string());
  Json json;
  json["config"] = request.config.string();
  json["settings"] = request.overrides;
  json["workers"] = request.workers;
  json["plugin_path"] = Json::array();
  for (const auto& path : request.plugin_path) json["plugin_path"].push_back(path.string());
  json["summary"] = request.summary.string();
  json["quiet"] = request.quiet;
  return json;
}

Json fields_of_study(const StudyRequest& request) {
  Json json = fields_of(request);
  json["repetitions"] = request.repetitions;
  json["output"] = request.output.string();
  json["overwrite"] = request.overwrite;
  json["format"] = request.format;
  return json;
}

/// The launcher of ranks on this machine: mpirun by its name in Debian, or by the usual one. Throws
/// RequestError where there is none.
std::string usual_launcher() {
  const auto options_of = [](const std::string& mpi) {
    // Open MPI would bind each of two ranks to one core, and refuses more ranks than cores.
    return mpi == "openmpi" ? " --oversubscribe --bind-to none -n {ranks}" : " -n {ranks}";
  };
  const std::vector<std::string> mpis = cluster::linked_mpis();
  for (const std::string& mpi : mpis) {
    const std::string program = "mpirun." + mpi;
    if (is_program(program)) return program + options_of(mpi);
  }
  if (mpis.size() == 1 && is_program("mpirun")) return "mpirun" + std::string(options_of(mpis[0]));
  refuse_if(
      mpis.empty(),
      "--ranks: this Kumiko was built without an MPI; configure it by 'cmake --preset release' "
      "and build it again; Debian has MPIs in openmpi-bin and libopenmpi-dev, and in mpich and "
      "libmpich-dev");
  throw RequestError(
      "--ranks: found no launcher for {}; install mpirun.{}, or name a launcher with --launcher "
      "'mpirun -n {{ranks}}'",
      fmt::join(mpis, " or "), fmt::join(mpis, " or mpirun."));
}

[[noreturn]] void compare(const CompareRequest& request) {
  Json json = fields_of_study(request);
  json["backend"] = request.backend;
  json["solvers"] = request.solvers;
  json["variants"] = request.variants;
  json["sweeps"] = request.sweeps;
  json["resolutions"] = request.resolutions;
  json["norm"] = request.norm;
  become_study("compare", json);
}

[[noreturn]] void scale(const ScalingRequest& request, bool names_backends) {
  const bool has_ranks = !request.rank_list.empty();
  refuse_if(has_ranks && names_backends,
            "--ranks and --backends: only backend 'threads' runs on ranks; give one of the two");
  refuse_if(!has_ranks && !request.launcher.empty(), "--launcher starts ranks and needs --ranks");
  const int cores = runtime::available_cores();
  const std::string usual = has_ranks ? "1" : fmt::format("1..{}", cores);
  const std::string& workers = request.worker_list.empty() ? usual : request.worker_list;
  Json json = fields_of_study(request);
  json["worker_counts"] = parse_counts("workers", workers, kMostWorkers);
  if (has_ranks) {
    json["rank_counts"] = parse_counts("ranks", request.rank_list, kMostRanks);
    json["launcher"] = request.launcher.empty() ? usual_launcher() : request.launcher;
    json["is_own_launcher"] = !request.launcher.empty();
  }
  json["backends"] = request.backends;
  json["cores"] = cores;
  become_study("scaling", json);
}

}  // namespace

Action compare_command(Options& options) {
  const auto request = std::make_shared<CompareRequest>();
  add_case(options, *request);
  options.add("--solvers", &request->solvers,
              "A,B,C: solvers to compare, by name (default: the file's)", {.lists = true});
  options.add(
      "--solver", &request->variants,
      "NAME[,KEY=VALUE]...: one more, with keys of [solver] or, written in full such as "
      "amr.levels=1 or case.sigma=0.1, any others of its own. The file's [solver] applies to "
      "the solver that it names",
      {.repeats = true});
  options.add("--sweep", &request->sweeps,
              "KEY=VALUE,VALUE,...: run every solver with each of these values of a key, as "
              "--sweep amr.threshold=0.05,0.1,0.2. Several sweeps are combined",
              {.repeats = true});
  options.add("--resolutions", &request->resolutions,
              "N1,N2,...: points of level 0 in x; y and time.steps, if it is given, follow in "
              "proportion, and the amr.thresholds by amr.threshold_order (default: the file's)",
              {.lists = true, .check = between(16, 65536)});
  options.add("--norm", &request->norm, "of the error, for orders and the plot",
              {.check = one_of({"rms", "l1_relative", "l1", "linf"})});
  add_study(options, *request, "runs of each, for the wall time");
  add_backend(options, request->backend);
  add_output(options, *request,
             "folder for compare.csv, .json, .md, .tex and the figure work_precision "
             "(default: none)",
             "replace an earlier comparison's files");
  return [request]() -> int { compare(*request); };
}

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
  add_study(options, *request, "runs of each, in turn");
  add_output(options, *request,
             "folder for scaling.csv, .json, .tex and the figures speed_up and efficiency "
             "(default: none)",
             "replace an earlier scaling run's files");
  return [request, options]() -> int { scale(*request, options.is_given("--backends")); };
}

Action table_command(Options& options) {
  const auto request = std::make_shared<CaseRequest>();
  add_case(options, *request);
  return [request]() -> int { become_study("table", fields_of(*request)); };
}

}  // namespace kumiko::app
