// A model of the work-stealing deque for the checker.
#pragma once

#include <functional>
#include <vector>

#include "support.hpp"

namespace kumiko::runtime::model {

/// What the code does, unless a test takes it away.
struct DequeIngredients {
  bool light = true;
  bool heavy = true;
  Order push_young = Order::kRelease;
  Order pop_young = Order::kRelease;
  Order pop_public_young = Order::kRelease;
  Order seize_young = Order::kAcquire;
  Order take_old = Order::kRelease;
  Order make_room_old = Order::kAcquire;
  Order empty = Order::kAcquire;
  Order lock = Order::kAcquire;
  Order unlock = Order::kRelease;
};

/// Mirrors runtime/src/core/deque.hpp, function by function. Whoever changes one changes the other.
/// Left out: make_room() but for the reuse of a slot, and the larger ring, which changes under the
/// lock only.
///
/// Elements are numbers from 1 on. Each points to a cell that is 1 once the element is complete.
class DequeModel {
 public:
  static constexpr int kNothing = 0;
  static constexpr int kIncomplete = -1;

  /// \param present the number of private elements at the beginning.
  DequeModel(Model& model, const BarrierModel& barrier, DequeIngredients with, int capacity,
             int elements, int present)
      : with_(with),
        capacity_(capacity),
        elements_(elements),
        barrier_(barrier),
        lock_(model, "lock", with.lock, with.unlock),
        young_(model.variable("young", present)),
        split_(model.variable("split")),
        old_(model.variable("old")) {
    std::vector<int> slots(static_cast<std::size_t>(capacity));
    std::vector<int> complete(static_cast<std::size_t>(elements) + 1);
    for (int i = 0; i < present; ++i) {
      slots[static_cast<std::size_t>(i)] = i + 1;
      complete[static_cast<std::size_t>(i) + 1] = 1;
    }
    slots_ = model.array("slots", slots);
    complete_ = model.array("complete", complete);
  }

  void push(Thread& t, int element) const {
    t.store(complete_[element], 1, Order::kRelaxed);
    const Reg young = t.load(young_, Order::kRelaxed);
    t.store(slot(young), element, Order::kRelaxed);
    t.store(young_, young + 1, with_.push_young);
  }

  /// push() where the ring is full for all that the owner knows; nothing if it is full indeed.
  void push_into_used_slot(Thread& t, int element) const {
    const Reg young = t.load(young_, Order::kRelaxed);
    const Reg old = t.load(old_, with_.make_room_old);
    t.when(young < old + capacity_, [&] { push(t, element); });
  }

  void pop(Thread& t) {
    const Reg taken = result(t);
    const Reg young = t.load(young_, Order::kRelaxed);
    const Reg split = t.load(split_, Order::kRelaxed);
    Thread::Label is_public;
    Thread::Label end;
    t.go_to_if(young - 1 < split, is_public);
    t.store(young_, young - 1, with_.pop_young);
    if (with_.light) barrier_.light(t);  // B1
    const Reg split_again = t.load(split_, Order::kRelaxed);
    t.go_to_if(young - 1 < split_again, is_public);
    take(t, taken, t.load(slot(young - 1), Order::kRelaxed));
    t.go_to(end);
    t.place(is_public);
    pop_public(t, taken, young - 1);
    t.place(end);
  }

  void share(Thread& t) const {
    const Reg young = t.load(young_, Order::kRelaxed);
    lock_.lock(t);
    const Reg split = t.load(split_, Order::kRelaxed);
    t.when(young != split, [&] { t.store(split_, split + half(young - split), Order::kRelaxed); });
    lock_.unlock(t);
  }

  void steal(Thread& t) {
    const Reg taken = result(t);
    const Reg old = t.load(old_, Order::kRelaxed);
    const Reg split = t.load(split_, Order::kRelaxed);
    t.when(
        old < split,
        [&] {
          try_locked(t, taken, [&] { take_oldest(t, taken, [&] { take_nothing(t, taken); }); });
        },
        [&] { take_nothing(t, taken); });
  }

  /// Returns the element, or kNothing.
  Reg seize(Thread& t) {
    const Reg taken = result(t);
    const Expr is_empty = empty(t);
    t.when(
        is_empty, [&] { take_nothing(t, taken); },
        [&] { try_locked(t, taken, [&] { take_oldest(t, taken, [&] { claim(t, taken); }); }); });
    return taken;
  }

  Expr empty(Thread& t) const {
    const Reg old = t.load(old_, with_.empty);
    const Reg young = t.load(young_, with_.empty);
    return old >= young;
  }

  bool is_empty(const End& end) const { return end[old_] == end[young_]; }

  /// Every element that was pushed has been taken once or is in the deque once, and is complete.
  bool is_accounted_for(const End& end) const {
    std::vector<int> count(static_cast<std::size_t>(elements_) + 1);
    for (const Reg& reg : taken_) {
      const int element = end[reg];
      if (element == kIncomplete) return false;
      if (element != kUnset) ++count[static_cast<std::size_t>(element)];
    }
    for (int i = end[old_]; i < end[young_]; ++i) {
      ++count[static_cast<std::size_t>(end[slots_.at(i % capacity_)])];
    }
    for (int element = 1; element <= elements_; ++element) {
      const int pushed = end[complete_.at(element)];
      if (count[static_cast<std::size_t>(element)] != pushed) return false;
    }
    return end[old_] <= end[split_] && end[split_] <= end[young_];
  }

 private:
  static Expr half(const Expr& length) { return (length + 1) / 2; }

  Place slot(const Expr& index) const { return slots_[index % capacity_]; }

  Reg result(Thread& t) {
    taken_.push_back(t.result());
    return taken_.back();
  }

  static void take_nothing(Thread& t, const Reg& taken) { t.set(taken, kNothing); }

  void try_locked(Thread& t, const Reg& taken, const std::function<void()>& then) const {
    const Reg held = lock_.try_lock(t);
    t.when(
        held == 0,
        [&] {
          then();
          lock_.unlock(t);
        },
        [&] { take_nothing(t, taken); });
  }

  /// What a taker does first with an element is to look at what it points to.
  void take(Thread& t, const Reg& taken, const Reg& element) const {
    const Reg complete = t.load(complete_[element], Order::kRelaxed);
    t.when(
        complete == 1, [&] { t.set(taken, element); }, [&] { t.set(taken, kIncomplete); });
  }

  void take_oldest(Thread& t, const Reg& taken, const std::function<void()>& otherwise) const {
    const Reg old = t.load(old_, Order::kRelaxed);
    const Reg split = t.load(split_, Order::kRelaxed);
    t.when(
        old < split,
        [&] {
          const Reg element = t.load(slot(old), Order::kRelaxed);
          t.store(old_, old + 1, with_.take_old);
          take(t, taken, element);
        },
        otherwise);
  }

  /// The second half of seize().
  void claim(Thread& t, const Reg& taken) const {
    const Reg split = t.load(split_, Order::kRelaxed);
    const Reg young = t.load(young_, Order::kRelaxed);
    Thread::Label nothing;
    Thread::Label end;
    t.go_to_if(young <= split, nothing);
    const Expr claimed = split + half(young - split);
    t.store(split_, claimed, Order::kRelaxed);
    if (with_.heavy) barrier_.heavy(t);  // B2
    const Reg young_again = t.load(young_, with_.seize_young);
    t.when(young_again < claimed, [&] {
      t.store(split_, split, Order::kRelaxed);
      t.go_to(nothing);
    });
    take_oldest(t, taken, [&] { take_nothing(t, taken); });
    t.go_to(end);
    t.place(nothing);
    take_nothing(t, taken);
    t.place(end);
  }

  void pop_public(Thread& t, const Reg& taken, const Expr& young) const {
    t.store(young_, young + 1, with_.pop_public_young);
    const Reg old = t.load(old_, Order::kRelaxed);
    t.when(
        young < old, [&] { take_nothing(t, taken); },
        [&] {
          lock_.lock(t);
          pop_locked(t, taken, young);
          lock_.unlock(t);
        });
  }

  /// The second half of pop_public().
  void pop_locked(Thread& t, const Reg& taken, const Expr& young) const {
    const Reg old = t.load(old_, Order::kRelaxed);
    Thread::Label nothing;
    Thread::Label end;
    t.go_to_if(young < old, nothing);
    const Reg split = t.load(split_, Order::kRelaxed);
    t.when(young < split, [&] { t.store(split_, old + (young + 1 - old) / 2, Order::kRelaxed); });
    t.store(young_, young, with_.pop_public_young);
    take(t, taken, t.load(slot(young), Order::kRelaxed));
    t.go_to(end);
    t.place(nothing);
    take_nothing(t, taken);
    t.place(end);
  }

  DequeIngredients with_;
  int capacity_;
  int elements_;
  const BarrierModel& barrier_;
  SpinLockModel lock_;
  Var young_;
  Var split_;
  Var old_;
  Array slots_{};
  Array complete_{};
  std::vector<Reg> taken_;
};

}  // namespace kumiko::runtime::model
