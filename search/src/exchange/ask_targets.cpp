#include "exchange/ask_targets.hpp"

#include <algorithm>
#include <cstddef>

namespace kumiko::search::detail {

namespace {

using namespace std::chrono_literals;

/// After this number of refusals in a row, near processes are asked no more often than others.
constexpr std::size_t kNearAsks = 3;
/// The least age of a part that is asked for; see ExchangeState::holder().
constexpr auto kLeastAge = 100ms;

}  // namespace

std::optional<AskTargets::Target> AskTargets::next(ExchangeState& state, unsigned refusals) {
  if (refusals % 2 == 0) {
    if (const auto holder = state.holder(kLeastAge); holder) {
      return Target{holder->first, holder->second};
    }
  }
  const std::vector<std::uint16_t> peers = peers_.neighbours();
  if (peers.empty()) return std::nullopt;
  const std::vector<std::uint16_t> near = near_ones(peers);
  const bool asks_near = refusals / 2 < std::min(near.size(), kNearAsks);
  return Target{{any_of(asks_near ? near : peers)}};
}

std::vector<std::uint16_t> AskTargets::near_ones(const std::vector<std::uint16_t>& peers) const {
  return round_trips_.near(peers, [&](std::uint16_t peer) { return peers_.is_here(peer); });
}

std::uint16_t AskTargets::any_of(const std::vector<std::uint16_t>& peers) {
  return peers[random_() % peers.size()];
}

std::optional<Way> AskTargets::onward(const Way& from, const ExchangeState& state) {
  if (!peers_.has_others_behind()) return std::nullopt;
  std::vector<std::uint16_t> peers = peers_.neighbours();
  std::erase(peers, from.front());
  if (peers.empty()) return std::nullopt;
  const std::optional<std::uint16_t> largest = state.largest_behind(peers);
  if (largest && random_() % (peers.size() + 1) != 0) return Way{*largest};
  return Way{any_of(random_() % 2 == 0 ? near_ones(peers) : peers)};
}

}  // namespace kumiko::search::detail
