// The code's own protocol of watcher and timer, as the checker sees it.
#pragma once

#include <optional>

#include "core/watch.hpp"
#include "idle_model.hpp"
#include "recorder.hpp"

namespace kumiko::runtime::model {

/// What the code does, unless a test takes it away.
struct WatchIngredients {
  bool light = true;              ///< in leave_to_timer(), which end() calls
  bool light_of_wait = true;      ///< in wait_begun()
  bool heavy = true;              ///< in rest()
  bool heavy_twice = true;        ///< in rest()
  bool timer_looks_again = true;  ///< within rest()
  bool is_work = true;            ///< a wait without a watcher, to a worker that lies down
  Order begin = Order::kAcqRel;
  Order end = Order::kRelease;
  Order is_on = Order::kAcquire;
};

/// What the protocol is made of here.
struct WatchMachine : RecordingMachine {
  /// Leaves out the second of two heavy ones if asked to.
  struct Barrier : RecordingMachine::Barrier {
    void heavy() {
      if (++calls == 1 || heavy_twice) RecordingMachine::Barrier::heavy();
    }

    bool heavy_twice = true;
    int calls = 0;  ///< since rest() began
  };

  class Flag : public Number {
   public:
    Flag(bool known) : Number(known ? 1 : 0) {}
    Flag(const Expr& read) : Number(read) {}
    operator bool() const { return Condition(value() == 1); }
  };

  class Alarm {
   public:
    void ring() {
      const std::lock_guard guard(mutex_);
      rung_.store(1, std::memory_order_relaxed);
    }
    Lock& lock() { return mutex_; }
    void forget() { rung_.store(0, std::memory_order_relaxed); }
    void wait(Lock& lock) {
      lock.unlock();
      Recorder::current().perform([this](Thread& t) -> Expr {
        t.await_and_exchange(rung_.cell(), 1, 1, Order::kAcquire);  // and only then locks again
        return 0;
      });
      lock.lock();
    }

   private:
    Lock mutex_;
    Atomic<Number> rung_{0};
  };
};

/// Runs the code, beside that of Idle.
class WatchModel {
 public:
  WatchModel(Model& model, const BarrierModel& barrier, const WatchIngredients& with,
             IdleModel<>& idle, bool is_watched, int waits)
      : with_(with),
        idle_(idle),
        waits_(model.variable("waits", waits)),
        unsubmitted_(model.variable("unsubmitted")),
        recorder_(model, barrier,
                  {{"watched_", is_watched ? 1 : 0}, {"resting_"}, {"mutex_"}, {"rung_"}}),
        watch_(barrier_) {
    EXPECT_TRUE(recorder_.has_all_members());
    if (!with.light_of_wait) recorder_.leave_out_light("wait_begun");
    if (!with.light) {
      recorder_.leave_out_light("end");
      recorder_.leave_out_light("leave_to_timer");
    }
    if (!with.heavy) recorder_.leave_out_heavy();
    barrier_.heavy_twice = with.heavy_twice;
    using Kind = Instruction::Kind;
    recorder_.weaken({"", "watched_", Kind::kReadModifyWrite, Order::kAcqRel, with.begin});
    recorder_.weaken({"", "watched_", Kind::kStore, Order::kRelease, with.end});
    recorder_.weaken({"", "watched_", Kind::kLoad, Order::kAcquire, with.is_on});
  }

  /// A worker runs a thread that begins to wait. It counts that as IoService::begin_wait() does.
  void begin_wait(Thread& t) {
    t.store(waits_, 1, Order::kRelease);
    recorder_.call(t, "wait_begun", [this] { watch_.wait_begun(*this); });
  }
  /// A worker that has something to hand over begins to compute.
  void leave_to_timer(Thread& t) {
    t.store(unsubmitted_, 1, Order::kRelaxed);
    recorder_.call(t, "leave_to_timer", [this] { watch_.leave_to_timer(); });
  }

  /// A worker that sleeps as the watcher sees an event, as in Worker::watch(), and is a searcher.
  void stop_watching(Thread& t, std::size_t worker) {
    idle_.get_up(t, worker);
    recorder_.call(t, "end", [this] { watch_.end(); });
  }

  /// A worker searches in vain, as in Worker::search(), until it is the watcher and sleeps. Returns
  /// 1 then; the thread ends nowhere else.
  Reg search_until_watching(Thread& t, std::size_t worker, At at) {
    constexpr int kRounds = 4;
    if (at == At::kAsleep) idle_.park(t, worker);
    Thread::Label end;
    for (int round = 0; round < kRounds; ++round) {
      std::optional<Reg> watches;
      const Reg sleeps = idle_.lie_down(
          t, worker, [this](Thread& thread, Thread::Label& some) { look(thread, some); },
          [&](Thread& thread) { watches = begin(thread); });
      t.when(
          sleeps == 1,
          [&] {
            t.go_to_if(*watches == 1, end);
            idle_.park(t, worker);
          },
          [&] {
            t.when(*watches == 1, [&] { recorder_.call(t, "end", [this] { watch_.end(); }); });
          });
    }
    t.cut();
    t.place(end);
    return t.result(1);
  }

  /// The timer, as in Pollers::keep_time(), until it is needed.
  void keep_time(Thread& t) {
    constexpr int kRounds = 3;
    Thread::Label end;
    for (int round = 0; round < kRounds; ++round) {
      recorder_.call(t, "rest", [&] {
        barrier_.calls = 0;
        watch_.alarm().lock().lock();
        watch_.rest(watch_.alarm().lock(), BeforeRest{*this});
      });
      const Reg is_needed = outcome(t, "keep_time", [this] { return watch_.needs_timer(*this); });
      recorder_.call(t, "keep_time", [this] { watch_.alarm().lock().unlock(); });
      t.go_to_if(is_needed == 1, end);
    }
    t.cut();
    t.place(end);
  }

  // What the code asks of others.

  Condition has_waits() const {
    return recorder_.perform([&](Thread& t) { return t.load(waits_, Order::kAcquire); }) != 0;
  }
  Condition has_unsubmitted() const {
    return recorder_.perform([&](Thread& t) { return t.load(unsubmitted_, Order::kRelaxed); }) != 0;
  }
  void work_appeared() {
    recorder_.perform([&](Thread& t) -> Expr {
      idle_.work_appeared(t);
      return 0;
    });
  }

 private:
  /// What rest() sees.
  struct BeforeRest {
    const WatchModel& model;
    Condition has_waits() const {
      if (!model.with_.timer_looks_again) return false;
      return model.has_waits();
    }
    Condition has_unsubmitted() const { return model.has_unsubmitted(); }
  };

  void step(const std::function<void()>& add) {
    recorder_.perform([&](Thread&) -> Expr {
      add();
      return 0;
    });
  }

  /// As in Worker::begin_watch().
  Reg begin(Thread& t) {
    return outcome(t, "begin", [this] { return has_waits() && watch_.begin(); });
  }
  /// As in Scheduler::has_visible_work().
  void look(Thread& t, Thread::Label& some) {
    if (!with_.is_work) return;
    t.go_to_if(outcome(t, "look", [this] { return !watch_.is_on() && has_waits(); }) == 1, some);
  }

  Reg outcome(Thread& t, const std::string& name, const std::function<bool()>& body) {
    const Reg result = t.variable();
    recorder_.call(t, name, [&] {
      const bool outcome = body();
      step([&] { t.set(result, outcome ? 1 : 0); });
    });
    return result;
  }

  WatchIngredients with_;
  IdleModel<>& idle_;
  Var waits_;
  Var unsubmitted_;
  mutable Recorder recorder_;
  WatchMachine::Barrier barrier_;
  detail::BasicWatch<WatchMachine> watch_;
};

}  // namespace kumiko::runtime::model
