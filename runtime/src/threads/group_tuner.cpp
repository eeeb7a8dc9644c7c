#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include <kumiko/runtime/group.hpp>
#include <kumiko/runtime/group_tuner.hpp>

#include "core/aggregation.hpp"
#include "core/tuning_trial.hpp"

namespace kumiko::runtime {

/// The OS thread that tries the groups.
class GroupTuner::Loop {
 public:
  Loop(const std::vector<Group*>& groups, const GroupTunerOptions& options) : options_(options) {
    for (Group* const group : groups) tried_.emplace_back(*group);
    thread_ = std::thread([this] { run(); });
  }
  ~Loop() {
    {
      const std::lock_guard lock(mutex_);
      stops_ = true;
    }
    stop_.notify_one();
    thread_.join();
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  int trials() const {
    const std::lock_guard lock(mutex_);
    return trials_;
  }

 private:
  /// A group in its trial.
  class Tried {
   public:
    explicit Tried(Group& group) : group_(group) {}

    bool is_over() const noexcept { return is_over_; }

    void begin(int pairs, bool on_first) {
      was_on_ = group_.is_on();
      trial_ = detail::TuningTrial(pairs);
      is_over_ = false;
      group_.record().timed.store(true, std::memory_order_relaxed);
      begin_pair(on_first);
    }

    /// An epoch's time is over. The epoch goes on until the group has had enough turns.
    void go_on(bool next_on_first) {
      const detail::EpochTurns now = group_.record().turns();
      const detail::EpochTurns epoch{now.turns - before_.turns, now.ticks - before_.ticks};
      if (epoch.turns < detail::TuningTrial::kLeastTurns) {
        if (++waits_ > kPatience) end(was_on_);
        return;
      }
      if (!in_second_) {
        first_ = epoch;
        in_second_ = true;
        return begin_epoch();
      }
      trial_.add(on_first_ ? first_ : epoch, on_first_ ? epoch : first_);
      if (trial_.is_over()) return end(trial_.gains());
      begin_pair(next_on_first);
    }

    /// Leaves the group as it was before the trial, if that is not over.
    void give_up() {
      if (!is_over_) end(was_on_);
    }

   private:
    static constexpr int kPatience = 100;  ///< epochs' times that an epoch may last

    void begin_pair(bool on_first) {
      on_first_ = on_first;
      in_second_ = false;
      begin_epoch();
    }
    void begin_epoch() {
      group_.set_on(on_first_ != in_second_);
      before_ = group_.record().turns();
      waits_ = 0;
    }
    void end(bool on) {
      group_.record().timed.store(false, std::memory_order_relaxed);
      group_.set_on(on);
      is_over_ = true;
    }

    Group& group_;
    bool was_on_ = false;
    bool is_over_ = true;
    bool on_first_ = false;  ///< of the pair's two epochs
    bool in_second_ = false;
    int waits_ = 0;
    detail::EpochTurns before_;  ///< what was measured before the epoch
    detail::EpochTurns first_;   ///< the pair's first epoch
    detail::TuningTrial trial_{0};
  };

  void run() {
    do {
      for (Tried& tried : tried_) tried.begin(options_.pairs, is_odd(random_()));
    } while (finish_trials() && sleep(options_.rest));
  }

  /// \return false if the tuner ends
  bool finish_trials() {
    while (sleep(options_.epoch)) {
      bool all_over = true;
      for (Tried& tried : tried_) {
        if (!tried.is_over()) tried.go_on(is_odd(random_()));
        all_over = all_over && tried.is_over();
      }
      if (!all_over) continue;
      const std::lock_guard lock(mutex_);
      ++trials_;
      return true;
    }
    for (Tried& tried : tried_) tried.give_up();
    return false;
  }

  static bool is_odd(std::uint_fast32_t number) noexcept { return (number & 1U) != 0; }

  /// \return false if the tuner ends
  bool sleep(std::chrono::milliseconds time) {
    // Longer than any program; the clock's own range ends at some 292 years.
    constexpr std::chrono::milliseconds kLongest = std::chrono::hours(24 * 365 * 100);
    std::unique_lock lock(mutex_);
    return !stop_.wait_for(lock, std::min(time, kLongest), [this] { return stops_; });
  }

  const GroupTunerOptions options_;
  std::vector<Tried> tried_;
  std::minstd_rand random_;
  mutable std::mutex mutex_;
  std::condition_variable stop_;
  bool stops_ = false;
  int trials_ = 0;
  std::thread thread_;
};

GroupTuner::GroupTuner(std::vector<Group*> groups, GroupTunerOptions options) {
  using std::chrono::milliseconds;
  if (options.epoch < milliseconds(1) || options.pairs < 1 || options.pairs > 1000 ||
      options.rest < milliseconds(0)) {
    throw std::invalid_argument(
        "GroupTuner: epochs of " + std::to_string(options.epoch.count()) + " ms, " +
        std::to_string(options.pairs) + " pairs, a rest of " +
        std::to_string(options.rest.count()) +
        " ms; give epochs of 1 ms or more, 1 to 1000 pairs, and a rest of 0 or more");
  }
  for (auto group = groups.begin(); group != groups.end(); ++group) {
    if (*group == nullptr) throw std::invalid_argument("GroupTuner: a group is nullptr");
    if ((*group)->record_ == nullptr) {
      throw std::invalid_argument(
          "GroupTuner: a Group of the list has been moved from; list the Group that it was moved "
          "to");
    }
    if (std::find(groups.begin(), group, *group) != group) {
      throw std::invalid_argument("GroupTuner: group '" + (*group)->name() +
                                  "' is named twice; name it once");
    }
  }
  loop_ = std::make_unique<Loop>(groups, options);
}

GroupTuner::~GroupTuner() = default;

int GroupTuner::trials() const { return loop_->trials(); }

}  // namespace kumiko::runtime
