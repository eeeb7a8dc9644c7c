// The messages that processes exchange about parts of searches, and their encoding as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include <kumiko/cluster/described.hpp>
#include <kumiko/search/frame.hpp>

namespace kumiko::search::detail {

using cluster::Item;

/// The way to another process: a rank, or numbers of links (see Route). Empty for this process.
using Way = std::vector<std::uint16_t>;

/// Returns whether `way` begins with `first`, so that it ends at that process or behind it.
bool leads_through(const Way& way, const Way& first) noexcept;

/// The name that the giver has for a part: a slot and its generation (see GivenParts).
struct PartName {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;

  friend bool operator==(const PartName&, const PartName&) = default;
};

/// The work of a part: the code of this type reads the bytes.
struct Task {
  std::uint64_t type = 0;
  std::uint32_t divisions = 0;  ///< between the whole search and this part
  std::shared_ptr<const Frame> bytes{};
};
constexpr auto described(std::type_identity<Task>) {
  return std::tuple(Item<&Task::type>{}, Item<&Task::divisions>{}, Item<&Task::bytes>{});
}

/// The end of a part.
enum class Outcome : std::uint8_t {
  kDone,      ///< with a workspace
  kStopped,   ///< with a workspace; its code has stopped the whole search
  kFailed,    ///< with the message of an exception
  kNotBegun,  ///< the search was stopped before the part began
};

/// A message between two processes.
struct ExchangeMessage {
  enum class Says : std::uint8_t {
    kAsk,      ///< asks for a part; `part`, if given, is a part of the asker that the other one has
    kPart,     ///< answers an ask with a part
    kNone,     ///< answers an ask without one; `part`, if given, is not known here
    kResult,   ///< the result of a part, to its giver
    kStop,     ///< from the giver of a part: the part is to end soon
    kStopAll,  ///< to the giver of a part: the whole search is to end; kStopped repeats this
    kGone,     ///< nothing comes any more from `way`, which begins at the sender
    kEnd,      ///< the sender asks for nothing any more
    kLog,    ///< the ProcessLog of the sender, to the process that searches; not for ExchangeState
    kBegun,  ///< the sender has work again; to processes that rest since they asked it in vain
  };

  Says kind{};
  std::uint32_t ask = 0;           ///< number of an ask
  std::optional<PartName> part{};  ///< see the kinds
  Outcome outcome{};               ///< kResult
  Task task{};                     ///< kPart; kResult and kLog use its bytes
  Way way{};                       ///< kGone
  bool rests = false;              ///< kAsk: if this ask is in vain, the asker rests for long
  std::int64_t sent_at = 0;        ///< by the sender's clock, for RoundTrips and records
};
constexpr auto described(std::type_identity<ExchangeMessage>) {
  using M = ExchangeMessage;
  return std::tuple(Item<&M::kind>{}.up_to(M::Says::kBegun), Item<&M::ask>{}, Item<&M::part>{},
                    Item<&M::outcome>{}.up_to(Outcome::kNotBegun), Item<&M::task>{},
                    Item<&M::way>{}, Item<&M::rests>{}, Item<&M::sent_at>{});
}

/// The message as bytes, for processes of the same build.
Frame encode(const ExchangeMessage& message);

/// \throws std::invalid_argument if the bytes are not a message
ExchangeMessage decode(std::span<const std::byte> bytes);

}  // namespace kumiko::search::detail
