// How a worker without work waits: how long it searches, how politely, and whether it ever sleeps.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace kumiko::runtime::policy {

/// What a waiting policy is told when it is asked.
struct Surroundings {
  bool oversubscribed;        ///< there are more workers than cores
  bool has_pollers;           ///< there are sources of events from outside, such as I/O
  bool others_sleep = false;  ///< of whom nobody is woken for as long as another one searches
};

/// A search that never ends by itself.
inline constexpr std::chrono::nanoseconds kForever = std::chrono::nanoseconds::max();

/// The longest of all other searches, so that a Runtime ends, and a trace starts, within this time.
inline constexpr std::chrono::nanoseconds kLongestSearch = std::chrono::milliseconds(100);

/// A *waiting policy* is asked while a worker searches, never while it has work, and once when a
/// Runtime is made. One object serves all workers at the same time; it must not throw. Where it
/// says that a search takes kForever, its workers sleep at the end of their Runtime only.
template <class Policy>
concept Waiting = requires(const Policy policy, const Surroundings& around) {
  /// How long a worker searches before it sleeps; a round over the others is made in any case. An
  /// answer of kForever does not depend on has_pollers; others are cut to kLongestSearch.
  { policy.search_time(around) } -> std::same_as<std::chrono::nanoseconds>;
  /// How many pauses of the processor it makes between two rounds; asked once a search.
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

/// Searches as Adaptive does while the cores are the process's own. While others want them too, or
/// there are more workers than cores, it gives its core away after every few looks, since whoever
/// has the work may need it, and searches for longer before it sleeps: to be run again in turn
/// takes less than to be woken. Where others sleep already it sleeps at once, for it may not be on
/// a core at the moment when one of them should be woken in its place.
class Pressure {
 public:
  /// How long it searches where cores are shared: what was best beside busy loops, 0.5 to 5 ms
  /// being alike.
  static constexpr std::chrono::milliseconds kSharedSearchTime{1};

  /// Goes by what the system says while the Runtime runs: time stolen by a hypervisor, throttling
  /// by a control group's quota, and time in which threads waited for a core, others' and own. It
  /// notices within some 200 ms. Where the system says nothing but the last stderr is told, once.
  /// The cores are those of whoever makes the Runtime; each Runtime looks for itself.
  explicit Pressure(std::chrono::nanoseconds search_time = Adaptive::kSearchTime);

  /// Goes by `shares_cores`, which is asked by several workers at once and must not throw.
  explicit Pressure(std::function<bool()> shares_cores,
                    std::chrono::nanoseconds search_time = Adaptive::kSearchTime)
      : shares_cores_(std::move(shares_cores)), search_time_(search_time) {}

  /// One for another Runtime: it knows nothing yet, but for what it was told to go by.
  Pressure renewed() const {
    return goes_by_system_ ? Pressure(search_time_) : Pressure(shares_cores_, search_time_);
  }

  /// See Waiting.
  std::chrono::nanoseconds search_time(const Surroundings& around) const {
    if (!around.oversubscribed && !shares_cores_()) return search_time_;
    return around.others_sleep ? std::chrono::nanoseconds(0) : kSharedSearchTime;
  }
  /// See Waiting.
  int pauses() const noexcept { return kPausesPerRound; }
  /// See Waiting.
  bool gives_core_away(const Surroundings& around) const {
    return around.oversubscribed || around.has_pollers || shares_cores_();
  }

 private:
  std::function<bool()> shares_cores_;
  std::chrono::nanoseconds search_time_;
  bool goes_by_system_ = false;
};

/// The waiting policies that have a name.
enum class IdlePolicy {
  kAdaptive,   ///< Adaptive
  kSpin,       ///< Spin
  kSpinPause,  ///< SpinPause
  kYield,      ///< Yield
  kSleep,      ///< Sleep
  kPressure,   ///< Pressure
};

/// Their names, in this order.
constexpr std::array<std::string_view, 6> names_of(IdlePolicy) noexcept {
  return {"adaptive", "spin", "spin_pause", "yield", "sleep", "pressure"};
}

/// A waiting policy of whatever class. One object serves all workers of a Runtime.
class AnyWaiting {
 public:
  /// The one that goes by this name.
  AnyWaiting(IdlePolicy name = IdlePolicy::kPressure) : AnyWaiting(by(name)) {}

  /// This one.
  template <class Policy>
  requires(!std::same_as<Policy, AnyWaiting> && Waiting<Policy>) AnyWaiting(Policy policy)
      : policy_(std::make_shared<const Held<Policy>>(std::move(policy))) {}

  /// For another Runtime: what renewed() of the policy returns, where it has that; else this one.
  AnyWaiting renewed() const { return policy_->renewed(*this); }

  /// See Waiting.
  std::chrono::nanoseconds search_time(const Surroundings& around) const {
    return policy_->search_time(around);
  }
  /// See Waiting.
  int pauses() const { return policy_->pauses(); }
  /// See Waiting.
  bool gives_core_away(const Surroundings& around) const {
    return policy_->gives_core_away(around);
  }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual AnyWaiting renewed(const AnyWaiting& own) const = 0;
    virtual std::chrono::nanoseconds search_time(const Surroundings& around) const = 0;
    virtual int pauses() const = 0;
    virtual bool gives_core_away(const Surroundings& around) const = 0;
  };
  template <class Policy>
  struct Held final : Base {
    explicit Held(Policy held) : policy(std::move(held)) {}
    AnyWaiting renewed(const AnyWaiting& own) const override {
      if constexpr (requires { policy.renewed(); }) return policy.renewed();
      return own;
    }
    std::chrono::nanoseconds search_time(const Surroundings& around) const override {
      return policy.search_time(around);
    }
    int pauses() const override { return policy.pauses(); }
    bool gives_core_away(const Surroundings& around) const override {
      return policy.gives_core_away(around);
    }
    Policy policy;
  };

  static AnyWaiting by(IdlePolicy name) {
    switch (name) {
      case IdlePolicy::kSpin:
        return Spin{};
      case IdlePolicy::kSpinPause:
        return SpinPause{};
      case IdlePolicy::kYield:
        return Yield{};
      case IdlePolicy::kSleep:
        return Sleep{};
      case IdlePolicy::kPressure:
        return Pressure();
      case IdlePolicy::kAdaptive:
        break;
    }
    return Adaptive{};
  }

  std::shared_ptr<const Base> policy_;
};

}  // namespace kumiko::runtime::policy
