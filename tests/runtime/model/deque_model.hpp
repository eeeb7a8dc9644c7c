// The work-stealing deque's own code, as the checker sees it.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/deque.hpp"
#include "recorder.hpp"

namespace kumiko::runtime::model {

/// What the code does, unless a test takes it away.
struct DequeIngredients {
  bool light = true;
  bool heavy = true;
  Order push_young = Order::kRelease;
  Order pop_young = Order::kRelease;
  Order seize_young = Order::kAcquire;
  Order take_old = Order::kRelease;
  Order make_room_old = Order::kAcquire;
  Order empty = Order::kAcquire;
  Order lock = Order::kAcquire;
  Order unlock = Order::kRelease;
};

/// Runs runtime/src/core/deque.hpp. A larger ring is left out: it changes under the lock only.
///
/// Elements are numbers from 1 on. Each points to a cell that is 1 once the element is complete.
class DequeModel {
 public:
  static constexpr int kNothing = 0;
  static constexpr int kIncomplete = -1;

  /// \param present the number of private elements at the beginning.
  DequeModel(Model& model, const BarrierModel& barrier, const DequeIngredients& with, int capacity,
             int elements, int present)
      : capacity_(capacity),
        elements_(elements),
        recorder_(model, barrier, members(capacity, present)),
        deque_(static_cast<std::size_t>(capacity), barrier_),
        present_(present) {
    EXPECT_TRUE(recorder_.has_all_members());
    std::vector<int> complete(static_cast<std::size_t>(elements) + 1);
    for (int i = 1; i <= present; ++i) complete[static_cast<std::size_t>(i)] = 1;
    complete_ = model.array("complete", complete);
    take_away(with);
  }

  void push(Thread& t, int element) {
    const Reg pushed = t.result();
    recorder_.call(t, "push", [&] {
      step([&] { t.store(complete_[element], 1, Order::kRelaxed); });
      const bool is_in = deque_.push(element);
      step([&] { t.set(pushed, is_in ? element : kNothing); });
    });
    pushed_.push_back(pushed);
  }

  void pop(Thread& t) {
    taken_by(t, "pop", [this] { return deque_.pop(); });
  }
  void share(Thread& t) {
    recorder_.call(t, "share", [this] { deque_.share(); });
  }
  void steal(Thread& t) {
    taken_by(t, "steal", [this] { return deque_.steal(); });
  }
  /// Returns the element, or kNothing.
  Reg seize(Thread& t) {
    return taken_by(t, "seize", [this] { return deque_.seize(); });
  }

  /// Returns 1 or 0.
  Reg empty(Thread& t) {
    const Reg is_empty = t.variable();
    recorder_.call(t, "empty", [&] {
      const bool outcome = deque_.empty();
      step([&] { t.set(is_empty, outcome ? 1 : 0); });
    });
    return is_empty;
  }

  bool is_empty(const End& end) const { return value(end, "old_") == value(end, "young_"); }

  /// Every element that was pushed has been taken once or is in the deque once, and is complete.
  bool is_accounted_for(const End& end) const {
    std::vector<int> count(static_cast<std::size_t>(elements_) + 1);
    for (const Reg& reg : taken_) {
      const int element = end[reg];
      if (element == kIncomplete) return false;
      if (element != kUnset) ++count[static_cast<std::size_t>(element)];
    }
    const int old = value(end, "old_");
    const int young = value(end, "young_");
    const int split = value(end, "split_");
    for (int i = old; i < young; ++i) {
      ++count[static_cast<std::size_t>(value(end, slot_name(i % capacity_)))];
    }
    for (int i = 1; i <= present_; ++i) --count[static_cast<std::size_t>(i)];
    for (const Reg& reg : pushed_) {
      if (end[reg] != kUnset) --count[static_cast<std::size_t>(end[reg])];
    }
    for (int element = 1; element <= elements_; ++element) {
      if (count[static_cast<std::size_t>(element)] != 0) return false;
    }
    return old <= split && split <= young;
  }

 private:
  static std::string slot_name(int index) { return "slots[" + std::to_string(index) + "]"; }

  /// The owner knows that there is room in what was never used.
  static std::vector<Member> members(int capacity, int present) {
    std::vector<Member> members{{"young_", present}};
    for (int i = 0; i < capacity; ++i) members.push_back({slot_name(i), i < present ? i + 1 : 0});
    for (Member rest : {Member{"known_until_", capacity}, Member{"longest_", capacity},
                        Member{"split_"}, Member{"old_"}, Member{"lock_"}}) {
      members.push_back(std::move(rest));
    }
    return members;
  }

  void take_away(const DequeIngredients& with) {
    using Kind = Instruction::Kind;
    if (!with.light) recorder_.leave_out_light();
    if (!with.heavy) recorder_.leave_out_heavy();
    for (const Weakened& weakened :
         {Weakened{"push", "young_", Kind::kStore, Order::kRelease, with.push_young},
          Weakened{"pop", "young_", Kind::kStore, Order::kRelease, with.pop_young},
          Weakened{"seize", "young_", Kind::kLoad, Order::kAcquire, with.seize_young},
          Weakened{"", "old_", Kind::kStore, Order::kRelease, with.take_old},
          Weakened{"push", "old_", Kind::kLoad, Order::kAcquire, with.make_room_old},
          Weakened{"", "old_", Kind::kLoad, Order::kAcquire, with.empty},
          Weakened{"empty", "young_", Kind::kLoad, Order::kAcquire, with.empty},
          Weakened{"", "lock_", Kind::kReadModifyWrite, Order::kAcquire, with.lock},
          Weakened{"", "lock_", Kind::kStore, Order::kRelease, with.unlock}}) {
      recorder_.weaken(weakened);
    }
  }

  /// What the code does not do, but who calls it.
  void step(const std::function<void()>& add) {
    recorder_.perform([&](Thread&) -> Expr {
      add();
      return 0;
    });
  }

  /// What a taker does first with an element is to look at what it points to.
  Reg taken_by(Thread& t, const std::string& name, const std::function<Number()>& take) {
    const Reg taken = t.result();
    recorder_.call(t, name, [&] {
      const Number element = take();
      if (element == nullptr) {
        step([&] { t.set(taken, kNothing); });
        return;
      }
      const Number complete = recorder_.perform(
          [&](Thread&) -> Expr { return t.load(complete_[element.value()], Order::kRelaxed); });
      const bool is_complete = complete == 1;
      step([&] { t.set(taken, is_complete ? element.value() : Expr(kIncomplete)); });
    });
    taken_.push_back(taken);
    return taken;
  }

  int value(const End& end, const std::string& name) const { return end[recorder_.member(name)]; }

  int capacity_;
  int elements_;
  Recorder recorder_;
  RecordingMachine::Barrier barrier_;
  detail::Deque<int, RecordingMachine> deque_;
  int present_;
  Array complete_{};
  std::vector<Reg> taken_;
  std::vector<Reg> pushed_;
};

}  // namespace kumiko::runtime::model
