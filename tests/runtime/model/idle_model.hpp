// A model of the protocol by which workers fall asleep and are woken, for the checker.
#pragma once

#include <functional>
#include <vector>

#include "support.hpp"

namespace kumiko::runtime::model {

/// What the code does, unless a test takes it away.
struct IdleIngredients {
  bool light = true;
  bool heavy = true;
  bool looks_again = true;  ///< between announce() and park()
  bool passes_on = true;    ///< end_search() wakes the next
  Order begin_search = Order::kRelaxed;
  Order end_search = Order::kSeqCst;
  Order announce = Order::kSeqCst;
  Order wake_one = Order::kSeqCst;
  Order retract = Order::kSeqCst;
};

/// Whether a worker searches, sleeps, or has yet to begin its search.
enum class At { kSearching, kAsleep, kBusy };

/// Continues at the label on some condition.
using Step = std::function<void(Thread&, Thread::Label&)>;

/// The queues of all workers, as a searcher sees them.
struct Queues {
  Step take;  ///< goes there with work that it has found
  Step look;  ///< goes there if some is visible
};

/// Mirrors runtime/src/core/idle.hpp and idle.cpp, function by function, and Worker::search() in
/// runtime/src/core/worker.cpp. Whoever changes one changes the other. The Parker is one that keeps
/// a signal (see parker_model_test.cpp). Which of several sleepers is woken makes no difference.
class IdleModel {
 public:
  IdleModel(Model& model, const BarrierModel& barrier, IdleIngredients with,
            const std::vector<At>& workers)
      : with_(with),
        workers_(static_cast<int>(workers.size())),
        barrier_(barrier),
        guard_(model, "guard") {
    int state = 0;
    std::vector<int> asleep;
    for (const At at : workers) {
      asleep.push_back(at == At::kAsleep ? 1 : 0);
      state += at == At::kAsleep ? kSleeper : at == At::kSearching ? kSearcher : 0;
    }
    state_ = model.variable("state", state);
    sleepers_ = model.array("sleepers", asleep);
    signals_ = model.array("signals", std::vector<int>(workers.size()));
  }

  void work_appeared(Thread& t) const {
    if (with_.light) barrier_.light(t);
    const Reg state = t.load(state_, Order::kRelaxed);
    t.when(wants_searcher(state), [&] { wake_one(t); });
  }

  /// Worker::search(), once. The thread ends when it has found work.
  void search(Thread& t, int self, At at, const Queues& queues) const {
    constexpr int kRounds = 4;
    if (at == At::kBusy) t.fetch_add(state_, kSearcher, with_.begin_search);
    if (at == At::kAsleep) park(t, self);
    Thread::Label found;
    for (int round = 0; round < kRounds; ++round) {
      queues.take(t, found);
      Thread::Label next;
      announce(t, self);
      if (with_.looks_again) look_again(t, self, queues.look, next);
      park(t, self);
      t.place(next);
    }
    t.cut();
    t.place(found);
    end_search(t);
  }

 private:
  static constexpr int kSearcher = 1;
  static constexpr int kSleeper = 8;

  static Expr wants_searcher(const Expr& state) {
    return state >= kSleeper && state % kSleeper == 0;
  }

  void announce(Thread& t, int self) const {
    guard_.lock(t);
    t.store(sleepers_[self], 1, Order::kRelaxed);
    t.fetch_add(state_, kSleeper - kSearcher, with_.announce);
    guard_.unlock(t);
    if (with_.heavy) barrier_.heavy(t);
  }

  void look_again(Thread& t, int self, const Step& look, Thread::Label& next) const {
    Thread::Label some;
    Thread::Label none;
    look(t, some);
    t.go_to(none);
    t.place(some);
    retract(t, self, next);
    t.place(none);
  }

  void retract(Thread& t, int self, Thread::Label& next) const {
    guard_.lock(t);
    const Reg asleep = t.load(sleepers_[self], Order::kRelaxed);
    t.when(asleep == 1, [&] {
      t.store(sleepers_[self], 0, Order::kRelaxed);
      t.fetch_add(state_, kSearcher - kSleeper, with_.retract);
      guard_.unlock(t);
      t.go_to(next);
    });
    guard_.unlock(t);
  }

  void end_search(Thread& t) const {
    const Reg before = t.fetch_add(state_, -kSearcher, with_.end_search);
    if (with_.passes_on) t.when(wants_searcher(before - kSearcher), [&] { wake_one(t); });
  }

  void wake_one(Thread& t) const {
    Thread::Label end;
    guard_.lock(t);
    const Reg state = t.load(state_, Order::kRelaxed);
    t.when(!wants_searcher(state), [&] {
      guard_.unlock(t);
      t.go_to(end);
    });
    for (int sleeper = 0; sleeper < workers_; ++sleeper) {
      const Reg asleep = t.load(sleepers_[sleeper], Order::kRelaxed);
      t.when(asleep == 1, [&] {
        t.store(sleepers_[sleeper], 0, Order::kRelaxed);
        t.fetch_add(state_, kSearcher - kSleeper, with_.wake_one);
        guard_.unlock(t);
        t.store(signals_[sleeper], 1, Order::kRelease);
        t.go_to(end);
      });
    }
    guard_.unlock(t);
    t.place(end);
  }

  void park(Thread& t, int self) const {
    t.await_and_exchange(signals_[self], 1, 0, Order::kAcquire);
  }

  IdleIngredients with_;
  int workers_;
  const BarrierModel& barrier_;
  SpinLockModel guard_;
  Var state_{};
  Array sleepers_{};
  Array signals_{};
};

}  // namespace kumiko::runtime::model
