// How a worker without work waits: how long it searches, how often it yields its core, and whether
// it sleeps.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace kumiko::runtime::policy {

/// The situation of a worker, passed to its waiting policy.
struct Surroundings {
  bool oversubscribed;        ///< there are more workers than cores
  bool has_pollers;           ///< there are sources of events from outside, such as I/O
  bool others_sleep = false;  ///< some workers sleep; none is woken while another worker searches
};

/// The duration of a search that does not end by itself.
inline constexpr std::chrono::nanoseconds kForever = std::chrono::nanoseconds::max();

/// The largest duration of all other searches, so that a Runtime ends, and a trace starts, within
/// this time.
inline constexpr std::chrono::nanoseconds kLongestSearch = std::chrono::milliseconds(100);

/// A *waiting policy* is called while a worker searches, never while it has work, and once when a
/// Runtime is made. One object serves all workers at the same time. It must not throw. If it
/// returns kForever for the duration of a search, workers sleep only at the end of their Runtime.
template <class Policy>
concept Waiting = requires(const Policy policy, const Surroundings& around) {
  /// The time for which a worker searches before it sleeps; it makes at least one round over the
  /// other workers. Whether this is kForever must not depend on has_pollers. Other durations are
  /// limited to kLongestSearch.
  { policy.search_time(around) } -> std::same_as<std::chrono::nanoseconds>;
  /// The number of pause instructions between two rounds; called once per search.
  { policy.pauses() } -> std::same_as<int>;
  /// Whether it yields its core to other OS threads every few rounds.
  { policy.gives_core_away(around) } -> std::same_as<bool>;
};

/// Pause instructions between two rounds: some hundred nanoseconds, in which the core's other
/// hardware thread can use its resources.
inline constexpr int kPausesPerRound = 8;

/// Searches for about as long as a sleeping worker needs to wake (5 to 50 us), which bounds the
/// loss to a factor of two. Sleeps immediately if there are more workers than cores. If there are
/// pollers, the senders of the messages may be on this machine, so it yields its core to them.
struct Adaptive {
  /// The duration of a search if each worker has a core.
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

/// Searches all the time, and yields its core.
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

/// Searches as Adaptive does while no other program uses the cores. While other programs use them
/// too, or if there are more workers than cores, it yields its core every few rounds, because the
/// thread that has the work may need it. It then searches for longer before it sleeps, because
/// being scheduled again takes less time than being woken. If other workers sleep already, it
/// sleeps immediately, because it may have no core at the moment when one of them should be woken
/// instead.
class Pressure {
 public:
  /// The duration of a search if cores are shared. It was the best value with busy loops; 0.5 to 5
  /// ms make no difference.
  static constexpr std::chrono::milliseconds kSharedSearchTime{1};

  /// Uses the system's data while the Runtime runs: time stolen by a hypervisor, throttling by a
  /// control group's quota, and time in which threads, others and its own, waited for a core. It
  /// notices a change within about 200 ms. If the system provides only the waits of the process's
  /// own threads, a line on stderr says so, once. The cores are those of the thread that makes the
  /// Runtime. Each Runtime has its own data.
  explicit Pressure(std::chrono::nanoseconds search_time = Adaptive::kSearchTime);

  /// Uses `shares_cores`, which several workers call at the same time and which must not throw.
  explicit Pressure(std::function<bool()> shares_cores,
                    std::chrono::nanoseconds search_time = Adaptive::kSearchTime)
      : shares_cores_(std::move(shares_cores)), search_time_(search_time) {}

  /// A policy for another Runtime: it uses the same source of data, but has no data yet.
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

/// A waiting policy of any class. One object serves all workers of a Runtime.
class AnyWaiting {
 public:
  /// The policy of this name.
  AnyWaiting(IdlePolicy name = IdlePolicy::kPressure) : AnyWaiting(by(name)) {}

  /// Holds a copy of `policy`.
  template <class Policy>
  requires(!std::same_as<Policy, AnyWaiting> && Waiting<Policy>) AnyWaiting(Policy policy)
      : policy_(std::make_shared<const Held<Policy>>(std::move(policy))) {}

  /// The policy for another Runtime: the result of the policy's renewed() if it has one, else this
  /// policy.
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
