#include <algorithm>
#include <cstdio>

#include <fmt/core.h>

#include <kumiko/io/output_folder.hpp>

#include "execute.hpp"
#include "experiments/comparison.hpp"
#include "experiments/comparison_report.hpp"
#include "problem.hpp"
#include "request.hpp"

namespace kumiko::app {

namespace {

void write_files(const Request& request, const Comparison& comparison) {
  write_sweep_files(request.output, kComparisonFiles, comparison);
  if (!request.summary.empty()) io::write_text_file(request.summary, json_report(comparison));
}

}  // namespace

int compare_command(const Request& request) {
  check_sweep_files(request.output, kComparisonFiles, request.overwrite, "comparison");
  Comparison comparison = plan_comparison(request);
  prepare_summary(request.summary);
  heed_signals();
  // What is done so far is in the files at any time, and an earlier comparison's figures are not.
  write_files(request, comparison);
  std::string ended;
  try {
    run_comparison(request, comparison, [&] { write_files(request, comparison); });
  } catch (const std::exception& error) {
    if (!end_requested()) throw;
    ended = error.what();
  }
  write_files(request, comparison);
  fmt::print("{}", plain_report(comparison));
  if (!request.output.empty()) fmt::print("\nfiles in {}/\n", request.output.string());
  if (!ended.empty()) throw std::runtime_error(ended);
  const auto failed = std::count_if(comparison.runs.begin(), comparison.runs.end(),
                                    [](const ComparedRun& run) { return !run.failure.empty(); });
  if (failed == 0) return kDone;
  std::fflush(stdout);
  throw std::runtime_error(fmt::format("{} of {} runs failed; the lines below the table say why",
                                       failed, comparison.runs.size()));
}

}  // namespace kumiko::app
