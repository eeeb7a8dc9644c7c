#include <algorithm>

#include <fmt/core.h>

#include <kumiko/io/output_folder.hpp>

#include "execute.hpp"
#include "experiments/scaling.hpp"
#include "experiments/scaling_report.hpp"
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
      "kumiko: warning: {} workers share {} core{}: points beyond {} say nothing of the "
      "speed-up on a larger machine\n",
      most, scaling.cores, scaling.cores == 1 ? "" : "s", scaling.cores);
}

void write_files(const Request& request, const Scaling& scaling) {
  write_sweep_files(request.output, kScalingFiles, scaling);
  if (!request.summary.empty()) io::write_text_file(request.summary, scaling_json(scaling));
}

}  // namespace

int scaling_command(const Request& request) {
  heed_signals();
  check_sweep_files(request.output, kScalingFiles, request.overwrite, "scaling run");
  Scaling scaling = plan_scaling(request);
  prepare_summary(request.summary);
  warn(scaling);
  const auto write = [&] { write_files(request, scaling); };
  write();
  run_scaling(request, scaling, write);
  write();
  fmt::print("{}", scaling_table(scaling));
  if (!request.output.empty()) fmt::print("\nfiles in {}/\n", request.output.string());
  return kDone;
}

}  // namespace kumiko::app
