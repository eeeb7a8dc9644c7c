#include <algorithm>
#include <memory>

#include <fmt/core.h>

#include <kumiko/amr/backend.hpp>

#include "commands.hpp"
#include "counted.hpp"
#include "execute.hpp"
#include "experiments/scaling.hpp"
#include "experiments/sweep.hpp"
#include "problem.hpp"
#include "request.hpp"
#include "terminal.hpp"

namespace kumiko::app {

namespace {

/// More workers than cores share them: that is a measurement of something else.
void warn(const Scaling& scaling) {
  int most = 1;
  for (const ScalingPoint& point : scaling.points) most = std::max(most, point.workers);
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
  options.add("--quiet", &request->quiet, "show no progress");
  add_plugin_path(options, request->plugin_path);
  return [request] { return measure_scaling(*request); };
}

}  // namespace kumiko::app
