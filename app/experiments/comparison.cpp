#include "experiments/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <fmt/core.h>

namespace kumiko::app {

/// A patch covers a quadrant of its parent.
std::uint64_t ComparedRun::leaf_points() const {
  const auto& patches = summary.patches_per_level;
  const std::size_t all = std::accumulate(patches.begin(), patches.end(), std::size_t{0});
  return all * amr::kPatchPoints - (all - patches.front()) * (amr::kPatchPoints / 4);
}

std::string_view norm_title(std::string_view norm) {
  return std::ranges::find(kNorms, norm, &Norm::name)->title;
}

const Contender& contender_of(const Comparison& comparison, const ComparedRun& run) {
  return comparison.contenders[run.contender];
}

std::optional<double> error_of(const io::RunSummary& summary, std::string_view norm) {
  const auto* const named = std::ranges::find(kNorms, norm, &Norm::name);
  if (!summary.errors || named == kNorms.end()) return std::nullopt;
  return *summary.errors.*named->value;
}

std::optional<double> order_of(const Comparison& comparison, const ComparedRun& run) {
  if (&run == comparison.runs.data()) return std::nullopt;
  const ComparedRun& coarse = *(&run - 1);
  const bool follows = run.contender == coarse.contender;
  if (!follows || !run.is_measured() || !coarse.is_measured()) return std::nullopt;
  const double error = error_of(run.summary, comparison.norm).value_or(0.0);
  const double before = error_of(coarse.summary, comparison.norm).value_or(0.0);
  if (error <= 0.0 || before <= 0.0) return std::nullopt;
  return std::log(before / error) / std::log(static_cast<double>(run.points) / coarse.points);
}

bool is_open(const Comparison& comparison) {
  return std::ranges::any_of(comparison.runs,
                             [](const ComparedRun& run) { return run.summary.open_domain; });
}

const ComparedRun* run_beside(const Comparison& comparison, std::size_t contender,
                              const PublishedError& error) {
  const auto found = std::ranges::find_if(comparison.runs, [&](const ComparedRun& run) {
    return run.contender == contender && run.points_per_length == error.value.points &&
           run.is_measured() && (run.steps == 0 || run.summary.steps == run.steps) &&
           error.contenders.contains(contender);
  });
  return found == comparison.runs.end() ? nullptr : &*found;
}

bool has_run_beside(const Comparison& comparison, const PublishedError& error) {
  return std::ranges::any_of(error.contenders, [&](std::size_t contender) {
    return run_beside(comparison, contender, error) != nullptr;
  });
}

std::vector<std::string> failures_of(const Comparison& comparison) {
  std::vector<std::string> failures;
  for (const ComparedRun& run : comparison.runs) {
    if (run.failure.empty()) continue;
    failures.push_back(fmt::format("{} at {} failed: {}", contender_of(comparison, run).label,
                                   run.points, run.failure));
  }
  return failures;
}

}  // namespace kumiko::app
