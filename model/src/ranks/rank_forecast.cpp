#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include <kumiko/model/rank_forecast.hpp>

#include "ranks/rank_exchange.hpp"

namespace kumiko::model {

namespace {

constexpr double kNanosecond = 1e-9;
/// A step takes up to so many times what advancing its patches takes: ghosts, restriction and what
/// workers wait for (docs/performance.md, "AMR run over bare sweep").
constexpr double kOverAdvancing = 1.5;
/// How much faster fewer ranks are to be.
constexpr double kWorthSaying = 1.25;
/// Work of a rank in a base step that is worth its messages on any network, in seconds.
constexpr double kEnoughWork = 1e-3;
/// Meshes with so many patches are estimated in a few milliseconds.
constexpr std::size_t kMostPatches = 16384;

int steps_of(const RunStart& start, int level) { return start.subcycling ? 1 << level : 1; }

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double work_of(const RunStart& start) {
  double work = 0.0;
  for (const std::vector<double>& level : start.seconds) work += kOverAdvancing * sum(level);
  return work;
}

amr::Mesh<2> dealt(const RunStart& start, int ranks, const RankOptions& options) {
  amr::Mesh<2> mesh = start.mesh;
  const auto rank_of = amr::deal(options.partition, mesh, start.seconds, ranks, options.seed);
  for (int level = 0; level < mesh.levels(); ++level) {
    const auto ids = mesh.ids(level);
    mesh.assign(level, {ids.begin(), ids.end()}, rank_of[static_cast<std::size_t>(level)]);
  }
  return mesh;
}

}  // namespace

double expected_step(const RunStart& start, int ranks, const RankOptions& options) {
  const amr::Mesh<2> mesh = dealt(start, ranks, options);
  const Network& network = options.network;
  std::vector<double> busy(static_cast<std::size_t>(ranks));  // by rank, in seconds
  std::vector<double> messages(busy.size());
  double once = 0.0;  // of a step of each patch
  double chain = 0.0;
  for (int level = 0; level < mesh.levels(); ++level) {
    const auto& seconds = start.seconds[static_cast<std::size_t>(level)];
    const auto rank_of = mesh.ranks(level);
    for (std::size_t slot = 0; slot < seconds.size(); ++slot) {
      busy[static_cast<std::size_t>(rank_of[slot])] += kOverAdvancing * seconds[slot];
    }
    const int steps = steps_of(start, level);
    const double all = kOverAdvancing * sum(seconds);
    once += all / steps;
    Exchange strips(ranks);
    strips.add_strips(mesh, level);
    bool do_meet = false;
    const std::vector<Exchange::Rank> counted = strips.count();
    for (std::size_t rank = 0; rank < counted.size(); ++rank) {
      const auto sent = static_cast<double>(counted[rank].messages);
      do_meet = do_meet || sent > 0.0;
      busy[rank] += kNanosecond * steps * static_cast<double>(counted[rank].items) * network.item;
      messages[rank] = std::max(messages[rank], steps * sent);
    }
    const double waiting = do_meet ? 2.0 * network.overhead + network.latency : 0.0;
    chain =
        std::max(chain, all / static_cast<double>(seconds.size()) + kNanosecond * steps * waiting);
  }
  double longest = chain;
  double of_all = 0.0;
  for (std::size_t rank = 0; rank < busy.size(); ++rank) {
    const double own = busy[rank] + kNanosecond * network.overhead * messages[rank];
    longest = std::max(longest, own / options.workers);
    of_all += own;
  }
  if (start.cores > 0) longest = std::max(longest, of_all / start.cores);
  const Meetings meetings(ranks, network);
  const double told = meetings.regrid(mesh, {}) + meetings.begin_window(mesh) +
                      meetings.end_window(start.interval, options.workers);
  return longest + (once + kNanosecond * told) / start.interval;
}

std::optional<FewerRanks> faster_on_fewer(const RunStart& start, int ranks,
                                          const RankOptions& options) {
  std::size_t patches = 0;
  for (const std::vector<double>& level : start.seconds) patches += level.size();
  if (patches > kMostPatches) return std::nullopt;
  if (work_of(start) > kEnoughWork * ranks * options.workers) return std::nullopt;
  const double now = expected_step(start, ranks, options);
  FewerRanks best{.ranks = ranks, .seconds = now, .seconds_now = now};
  for (int fewer = ranks / 2; fewer >= 1; fewer /= 2) {
    const double seconds = expected_step(start, fewer, options);
    if (seconds >= best.seconds) break;
    best.ranks = fewer;
    best.seconds = seconds;
  }
  if (now < kWorthSaying * best.seconds) return std::nullopt;
  return best;
}

}  // namespace kumiko::model
