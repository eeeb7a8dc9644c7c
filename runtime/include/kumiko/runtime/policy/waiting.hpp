// How a worker without work waits: how long it searches, how politely, and whether it ever sleeps.
#pragma once

#include <chrono>
#include <concepts>
#include <variant>

#include <kumiko/runtime/options.hpp>

namespace kumiko::runtime::policy {

/// What a waiting policy is told when it is asked.
struct Surroundings {
  bool oversubscribed;  ///< there are more workers than cores
  bool has_pollers;     ///< there are sources of events from outside, such as I/O
};

/// A search that never ends by itself.
inline constexpr std::chrono::nanoseconds kForever = std::chrono::nanoseconds::max();

/// A *waiting policy* is asked while a worker searches, never while it has work. Where it says that
/// a search takes kForever, its workers sleep at the end of their Runtime only.
template <class Policy>
concept Waiting = requires(const Policy policy, const Surroundings& around) {
  /// How long a worker searches before it sleeps; a round over the others is made in any case. An
  /// answer of kForever does not depend on has_pollers.
  { policy.search_time(around) } -> std::same_as<std::chrono::nanoseconds>;
  /// How many pauses of the processor it makes between two rounds.
  { policy.pauses() } -> std::same_as<int>;
  /// Whether it lets other OS threads have its core every few rounds.
  { policy.gives_core_away(around) } -> std::same_as<bool>;
};

/// Pauses between two rounds: some hundred nanoseconds, in which the core's other hardware thread
/// has its resources.
inline constexpr int kPausesPerRound = 8;

/// Searches for about as long as a sleeping worker needs to wake (5 to 50 us), which bounds the
/// loss to a factor of two; sleeps at once where workers outnumber cores. Where there are pollers
/// those for whose messages it waits may be on this machine, so it lets them have its core.
struct Adaptive {
  /// How long it searches where each worker has a core.
  static constexpr std::chrono::microseconds kSearchTime{50};

  /// See Waiting.
  std::chrono::nanoseconds search_time(const Surroundings& around) const noexcept {
    return around.oversubscribed ? std::chrono::microseconds(0) : kSearchTime;
  }
  /// See Waiting.
  int pauses() const noexcept { return kPausesPerRound; }
  /// See Waiting.
  bool gives_core_away(const Surroundings& around) const noexcept {
    return around.oversubscribed || around.has_pollers;
  }
};

/// Searches all the time, without a pause.
struct Spin {
  /// See Waiting.
  std::chrono::nanoseconds search_time(const Surroundings&) const noexcept { return kForever; }
  /// See Waiting.
  int pauses() const noexcept { return 0; }
  /// See Waiting.
  bool gives_core_away(const Surroundings& around) const noexcept { return around.oversubscribed; }
};

/// Searches all the time, with pauses.
struct SpinPause : Spin {
  /// See Waiting.
  int pauses() const noexcept { return kPausesPerRound; }
};

/// Searches all the time, and gives its core away.
struct Yield : SpinPause {
  /// See Waiting.
  bool gives_core_away(const Surroundings&) const noexcept { return true; }
};

/// Searches once, then sleeps.
struct Sleep : SpinPause {
  /// See Waiting.
  std::chrono::nanoseconds search_time(const Surroundings&) const noexcept {
    return std::chrono::nanoseconds(0);
  }
};

/// The waiting policies that Options::idle may name, in the order of IdlePolicy.
using AnyWaiting = std::variant<Adaptive, Spin, SpinPause, Yield, Sleep>;
static_assert(Waiting<Adaptive> && Waiting<Spin> && Waiting<SpinPause> && Waiting<Yield> &&
              Waiting<Sleep>);

/// The policy that goes by this name.
inline AnyWaiting waiting_by(IdlePolicy name) noexcept {
  switch (name) {
    case IdlePolicy::kAdaptive:
      return Adaptive{};
    case IdlePolicy::kSpin:
      return Spin{};
    case IdlePolicy::kSpinPause:
      return SpinPause{};
    case IdlePolicy::kYield:
      return Yield{};
    case IdlePolicy::kSleep:
      return Sleep{};
  }
  return Adaptive{};
}

}  // namespace kumiko::runtime::policy
