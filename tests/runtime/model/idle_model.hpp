// The protocol's own code by which workers fall asleep and are woken, as the checker sees it.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "core/idle.hpp"
#include "parker_model.hpp"
#include "recorder.hpp"

namespace kumiko::runtime::model {

/// What the code does, unless a test takes it away.
struct IdleIngredients {
  bool light = true;
  bool heavy = true;
  bool looks_again = true;  ///< within lie_down()
  bool passes_on = true;    ///< end_search() wakes the next
  Order begin_search = Order::kRelaxed;
  Order end_search = Order::kSeqCst;     ///< also of a wake_one() in it
  Order lie_down = Order::kSeqCst;       ///< of announce() and retract()
  Order work_appeared = Order::kSeqCst;  ///< of a wake_one() in it
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

/// A Parker that keeps a signal, which is what parker_model_test.cpp says of the real one.
class SignalKeeper {
 public:
  SignalKeeper() : signal_(Recorder::current().add_member()) {}

  static std::vector<Member> members() { return {{"signal"}}; }

  void park() {
    Recorder::current().perform([this](Thread& t) -> Expr {
      t.await_and_exchange(signal_, 1, 0, Order::kAcquire);
      return 0;
    });
  }
  void unpark() {
    Recorder::current().perform([this](Thread& t) -> Expr {
      t.store(signal_, 1, Order::kRelease);
      return 0;
    });
  }

 private:
  Var signal_;
};

/// The real one.
class RealParker : public detail::BasicParker<ParkerMachine> {
 public:
  RealParker() { ParkerMachine::with = {}; }

  static std::vector<Member> members() { return {{"signalled_"}, {"asleep"}, {"bell_"}}; }
};

/// What the protocol is made of here.
template <class AnyParker>
struct IdleMachine : RecordingMachine {
  static constexpr int kSleeper = 8;

  using Parker = AnyParker;

  /// Which of several sleepers is woken makes no difference.
  class Sleepers {
   public:
    explicit Sleepers(std::size_t workers) {
      for (std::size_t i = 0; i < workers; ++i) asleep_.push_back(Recorder::current().add_member());
    }

    Number size() const {
      Number size = 0;
      for (const Var& cell : asleep_) {
        size = size + Recorder::current().perform(
                          [&](Thread& t) { return t.load(cell, Order::kRelaxed); });
      }
      return size;
    }
    void push(const Parker& sleeper) { set(place_of(sleeper), 1); }
    Parker& pop() {
      for (std::size_t i = 0; i < asleep_.size(); ++i) {
        if (take(i)) return (*parkers)[i];
      }
      Recorder::current().kernel("is stuck: the code wakes a sleeper, but none is there",
                                 [](const Value*) { return false; });
      return parkers->front();
    }
    bool remove(const Parker& sleeper) { return take(place_of(sleeper)); }

   private:
    static std::size_t place_of(const Parker& sleeper) {
      std::size_t place = 0;
      while (&(*parkers)[place] != &sleeper) ++place;
      return place;
    }
    void set(std::size_t place, int value) {
      Recorder::current().perform([&](Thread& t) -> Expr {
        t.store(asleep_[place], value, Order::kRelaxed);
        return 0;
      });
    }
    bool take(std::size_t place) {
      const Condition is_there = Recorder::current().perform([&](Thread& t) {
        return t.load(asleep_[place], Order::kRelaxed);
      }) == 1;
      if (!is_there) return false;
      set(place, 0);
      return true;
    }

    std::vector<Var> asleep_;
  };

  static inline std::deque<Parker>* parkers = nullptr;  ///< of the workers
};

/// Runs the code.
template <class Parker = SignalKeeper>
class IdleModel {
 public:
  IdleModel(Model& model, const BarrierModel& barrier, const IdleIngredients& with,
            const std::vector<At>& workers)
      : with_(with),
        recorder_(model, barrier, members(workers)),
        idle_(workers.size(), barrier_),
        parkers_(workers.size()) {
    EXPECT_TRUE(recorder_.has_all_members());
    IdleMachine<Parker>::parkers = &parkers_;
    if (!with.light) recorder_.leave_out_light();
    if (!with.heavy) recorder_.leave_out_heavy();
    constexpr auto kKind = Instruction::Kind::kReadModifyWrite;
    recorder_.weaken({"begin_search", "state_", kKind, Order::kRelaxed, with.begin_search});
    recorder_.weaken({"end_search", "state_", kKind, Order::kSeqCst, with.end_search});
    recorder_.weaken({"lie_down", "state_", kKind, Order::kSeqCst, with.lie_down});
    recorder_.weaken({"work_appeared", "state_", kKind, Order::kSeqCst, with.work_appeared});
  }

  void work_appeared(Thread& t) {
    recorder_.call(t, "work_appeared", [this] { idle_.work_appeared(); });
  }

  /// As Worker::search() does, once. The thread ends when it has found work.
  void search(Thread& t, std::size_t self, At at, const Queues& queues) {
    constexpr int kRounds = 4;
    if (at == At::kBusy) recorder_.call(t, "begin_search", [this] { idle_.begin_search(); });
    if (at == At::kAsleep) park(t, self);
    Thread::Label found;
    for (int round = 0; round < kRounds; ++round) {
      queues.take(t, found);
      const Reg sleeps = lie_down(t, self, queues.look);
      t.when(sleeps == 1, [&] { park(t, self); });
    }
    t.cut();
    t.place(found);
    end_search(t);
  }

  /// Returns 1 if the worker is to park. `begin_watch` is what it does before it looks.
  Reg lie_down(
      Thread& t, std::size_t self, const Step& look,
      const std::function<void(Thread&)>& begin_watch = [](Thread&) {}) {
    const Reg sleeps = t.variable();
    recorder_.call(t, "lie_down", [&] {
      const auto lying = idle_.lie_down(
          parkers_[self], [&] { step(begin_watch); }, [] { return false; },
          [&] { return has_work(look); });
      const bool is_asleep = lying == detail::BasicIdle<IdleMachine<Parker>>::Lying::kAsleep;
      step([&](Thread&) { t.set(sleeps, is_asleep ? 1 : 0); });
    });
    return sleeps;
  }

  /// Gets up again by itself; if somebody has woken it meanwhile, takes the signal.
  void get_up(Thread& t, std::size_t self) {
    recorder_.call(t, "get_up", [&] {
      if (!idle_.retract(parkers_[self])) parkers_[self].park();
    });
  }

  void end_search(Thread& t) {
    if (with_.passes_on) {
      recorder_.call(t, "end_search", [this] { idle_.end_search(); });
    } else {
      t.fetch_add(recorder_.member("state_"), -kSearcher, Order::kSeqCst);
    }
  }

  void park(Thread& t, std::size_t self) {
    recorder_.call(
        t, "park", [&] { parkers_[self].park(); }, 4);
  }

 private:
  static constexpr int kSearcher = 1;
  static constexpr int kSleeper = IdleMachine<Parker>::kSleeper;

  static std::vector<Member> members(const std::vector<At>& workers) {
    std::vector<Member> members{{"state_"}, {"guard_"}};
    for (const At at : workers) {
      members.push_back({"asleep", at == At::kAsleep ? 1 : 0});
      members[0].initial += at == At::kAsleep ? kSleeper : at == At::kSearching ? kSearcher : 0;
    }
    for (std::size_t i = 0; i < workers.size(); ++i) {
      for (const Member& member : Parker::members()) members.push_back(member);
    }
    return members;
  }

  void step(const std::function<void(Thread&)>& add) {
    recorder_.perform([&](Thread& t) -> Expr {
      add(t);
      return 0;
    });
  }

  Condition has_work(const Step& look) {
    if (!with_.looks_again) return false;
    return recorder_.perform([&](Thread& t) -> Expr {
      const Reg is_there = t.variable();
      Thread::Label some;
      Thread::Label end;
      look(t, some);
      t.set(is_there, 0);
      t.go_to(end);
      t.place(some);
      t.set(is_there, 1);
      t.place(end);
      return is_there;
    }) == 1;
  }

  IdleIngredients with_;
  Recorder recorder_;
  RecordingMachine::Barrier barrier_;
  detail::BasicIdle<IdleMachine<Parker>> idle_;
  std::deque<Parker> parkers_;
};

}  // namespace kumiko::runtime::model
