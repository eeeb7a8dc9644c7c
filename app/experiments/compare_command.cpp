#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/core.h>

#include "commands.hpp"
#include "execute.hpp"
#include "experiments/comparison.hpp"
#include "problem.hpp"
#include "request.hpp"

namespace kumiko::app {

namespace {

int compare(CompareRequest& request) {
  prepare_to_step(request);
  check_sweep_files(request.output, kComparisonFiles, request.overwrite, "comparison");
  Comparison comparison = plan_comparison(request);
  prepare_summary(request.summary);
  heed_signals();
  // What is done so far is in the files at any time, and an earlier comparison's figures are not.
  const auto write = [&] {
    write_sweep_files(request.output, kComparisonFiles, comparison, request.summary);
  };
  write();
  std::string ended;
  try {
    run_comparison(request, comparison, write);
  } catch (const std::exception& error) {
    if (!end_requested()) throw;
    ended = error.what();
  }
  write();
  fmt::print("{}", plain_report(comparison));
  if (!request.output.empty()) fmt::print("\nfiles in {}/\n", request.output.string());
  if (!ended.empty()) throw std::runtime_error(ended);
  const auto failed = std::ranges::count_if(
      comparison.runs, [](const ComparedRun& run) { return !run.failure.empty(); });
  if (failed == 0) return kDone;
  std::fflush(stdout);
  throw std::runtime_error(fmt::format("{} of {} runs failed; the lines below the table say why",
                                       failed, comparison.runs.size()));
}

void add_contenders(Options& options, CompareRequest& request) {
  options.add("--solvers", &request.solvers, "A,B,C: solvers to compare, by name", {.lists = true});
  options.add("--solver", &request.variants,
              "NAME[,KEY=VALUE]...: one more, with keys of [solver] or, written in full such as "
              "amr.levels=1 or case.sigma=0.1, any others of its own. Several variants of one "
              "solver, told apart by their keys, are a sweep: --solver A,amr.buffer=2 --solver "
              "A,amr.buffer=4. The file's [solver] is for the solver that it names",
              {.repeats = true});
}

}  // namespace

Action compare_command(Options& options) {
  const auto request = std::make_shared<CompareRequest>();
  add_case(options, *request);
  add_contenders(options, *request);
  options.add("--resolutions", &request->resolutions,
              "N1,N2,...: points of level 0 in x; y and time.steps follow in proportion, and the "
              "amr.thresholds by amr.threshold_order (default: the file's)",
              {.lists = true, .check = between(16, 65536)});
  options.add("--norm", &request->norm, "of the error, for orders and the plot",
              {.check = one_of(norm_names())});
  add_repetitions(options, request->repetitions, "runs of each, for the wall time");
  add_backend(options, request->backend);
  add_output(options, *request,
             "folder for compare.csv, .json, .md and work_precision.svg (default: none)",
             "replace an earlier comparison's files");
  options.add("--quiet", &request->quiet, "show no progress");
  add_plugin_path(options, request->plugin_path);
  return [request] { return compare(*request); };
}

}  // namespace kumiko::app
