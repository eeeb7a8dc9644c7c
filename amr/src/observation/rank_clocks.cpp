#include "observation/rank_clocks.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace kumiko::amr {

namespace {

constexpr int kRounds = 8;

/// When a rank has begun to send in a round, and when it had heard of all in the round before.
struct Moments {
  std::int64_t sent = 0;
  std::int64_t heard_before = 0;
};

/// Within which a clock's lead over rank 0's is.
struct Bounds {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();

  std::int64_t narrowed() const { return least <= 0 && 0 <= most ? 0 : least + (most - least) / 2; }
};

}  // namespace

std::int64_t steady_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

RankClocks compare_clocks(Communicator& communicator, std::int64_t (*now)()) {
  std::vector<Bounds> bounds;
  std::int64_t first_sent = 0;  // by rank 0, in the round before
  std::int64_t heard = 0;
  for (int round = 0; round <= kRounds; ++round) {
    const std::vector<Moments> all = gather(communicator, Moments{now(), heard});
    heard = now();
    bounds.resize(all.size());
    for (std::size_t other = 1; other < all.size(); ++other) {
      const Moments& of = all[other];
      Bounds& narrow = bounds[other];
      // It had sent before rank 0 heard of it, and heard after rank 0 had sent.
      narrow.least = std::max(narrow.least, of.sent - heard);
      if (round > 0) narrow.most = std::min(narrow.most, of.heard_before - first_sent);
    }
    first_sent = all.front().sent;
  }
  if (communicator.rank() != 0) return {};
  RankClocks clocks{now(), {}};
  for (const Bounds& of : bounds) clocks.ahead_ns.push_back(of.narrowed());
  return clocks;
}

std::int64_t by_first_rank(std::int64_t ns, std::size_t rank, const RankClocks& before,
                           const RankClocks& after) {
  const std::int64_t ahead = before.ahead_ns[rank];
  const auto drift = static_cast<double>(after.ahead_ns[rank] - ahead);
  const auto between = static_cast<double>(std::max<std::int64_t>(after.at_ns - before.at_ns, 1));
  const double part = static_cast<double>(ns - ahead - before.at_ns) / between;
  return ns - ahead - std::llround(drift * part);
}

}  // namespace kumiko::amr
