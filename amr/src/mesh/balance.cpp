#include <algorithm>
#include <map>
#include <utility>

#include <kumiko/amr/balance.hpp>

namespace kumiko::amr {

namespace {

constexpr double kMostMedians = 3.0;
constexpr int kRegridsInARow = 2;
/// What a partition must be better by to be worth the moves.
constexpr double kLeastGain = 0.02;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

ByPatch<std::int32_t> ranks_of(const Mesh<2>& mesh) {
  ByPatch<std::int32_t> ranks;
  for (int level = 0; level < mesh.levels(); ++level) {
    ranks.emplace_back(mesh.ranks(level).begin(), mesh.ranks(level).end());
  }
  return ranks;
}

/// Seconds, and what was expected of the same patches.
struct Sums {
  double seconds = 0.0;
  double expected = 0.0;

  void add(double own_seconds, double own_expected) {
    seconds += own_seconds;
    expected += own_expected;
  }
};

}  // namespace

void Balance::note(std::vector<PatchValue<MeasuredCost>> measured) {
  std::erase_if(measured, [](const auto& part) { return part.value.seconds <= 0.0; });
  using RanksLevel = std::pair<std::int32_t, int>;
  std::map<RanksLevel, std::vector<double>> seconds;
  for (const PatchValue<MeasuredCost>& part : measured) {
    seconds[{part.value.rank, part.patch.level}].push_back(part.value.seconds);
  }
  std::map<RanksLevel, double> most;
  for (auto& [whose, all] : seconds) most[whose] = kMostMedians * median(std::move(all));
  for (PatchValue<MeasuredCost>& part : measured) {
    double& own = part.value.seconds;
    own = std::min(own, most.at({part.value.rank, part.patch.level}));
  }
  measured_ = std::move(measured);
}

/// Patches without a measurement are expected to cost their rank as much more as its measured ones.
ByPatch<double> Balance::costs(const Mesh<2>& mesh, const ByPatch<double>& expected) const {
  ByPatch<double> costs = expected;
  ByPatch<char> is_measured;
  std::map<std::int32_t, Sums> of_rank;
  Sums of_all;
  for (int level = 0; level < mesh.levels(); ++level) {
    is_measured.emplace_back(mesh.size(level), 0);
  }
  for (const PatchValue<MeasuredCost>& part : measured_) {
    const std::int32_t found = part.patch.level < mesh.levels() ? mesh.find(part.patch) : -1;
    if (found < 0) continue;
    const auto level = static_cast<std::size_t>(part.patch.level);
    const auto slot = static_cast<std::size_t>(found);
    costs[level][slot] = part.value.seconds;
    is_measured[level][slot] = 1;
    of_rank[part.value.rank].add(part.value.seconds, expected[level][slot]);
    of_all.add(part.value.seconds, expected[level][slot]);
  }
  if (of_all.expected <= 0.0) return expected;
  for (int level = 0; level < mesh.levels(); ++level) {
    const auto at = static_cast<std::size_t>(level);
    for (std::size_t slot = 0; slot < mesh.size(level); ++slot) {
      if (is_measured[at][slot] != 0) continue;
      const Sums& own = of_rank[mesh.ranks(level)[slot]];
      const Sums& like = own.expected > 0.0 ? own : of_all;
      costs[at][slot] = expected[at][slot] * like.seconds / like.expected;
    }
  }
  return costs;
}

std::optional<ByPatch<std::int32_t>> Balance::decide(const Mesh<2>& mesh,
                                                     const ByPatch<double>& expected) {
  const ByPatch<double> costs = this->costs(mesh, expected);
  const ByPatch<std::int32_t> ranks = ranks_of(mesh);
  const double now = imbalance(costs, ranks, ranks_);
  if (now <= kTolerated) {
    in_a_row_ = 0;
    return std::nullopt;
  }
  ++in_a_row_;
  if (!measured_.empty() && in_a_row_ < kRegridsInARow) return std::nullopt;
  in_a_row_ = 0;
  ByPatch<std::int32_t> better = deal(partition_, mesh, costs, ranks_, seed_);
  if (imbalance(costs, better, ranks_) > now - kLeastGain) return std::nullopt;
  return better;
}

}  // namespace kumiko::amr
