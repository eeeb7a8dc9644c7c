// The parker's own code, as the checker sees it.
#pragma once

#include <string>

#include "core/parking.hpp"
#include "recorder.hpp"

namespace kumiko::runtime::model {

/// What the code does, unless a test takes it away.
struct ParkerIngredients {
  Order take_signal = Order::kAcquire;
  Order take_timed = Order::kAcquire;
  Order take_undisturbed = Order::kAcquire;
  Order signal = Order::kAcqRel;
  Order begin_watch = Order::kAcqRel;
  Order end_watch = Order::kAcquire;
  bool kernel_compares = true;
  bool wakes = true;
  bool rings = true;
  bool signals_first = true;
};

/// What the parker is made of here. The futex is a bit that says who sleeps; the kernel compares
/// and lies down in one step. Besides the signal a thread may wait for something that happens: its
/// deadline, or an event where it watches.
struct ParkerMachine : RecordingMachine {
  using Bell = Number;

  /// The word, and the bit.
  template <class T>
  class Atomic : public RecordingMachine::Atomic<T> {
   public:
    Atomic(const T& initial)
        : RecordingMachine::Atomic<T>(initial), asleep(Recorder::current().add_member()) {}

    T exchange(const T& value, std::memory_order order) {
      const bool wakes_before = !with.signals_first && value.known() == 1;
      if (wakes_before) end_sleep(*this);
      return RecordingMachine::Atomic<T>::exchange(value, order);
    }

    Var asleep;
  };

  static void sleep_while(const Atomic<Number>& word, const Number& value) {
    lie_down(word, value);
    Recorder::current().kernel("futex: is awake", [asleep = word.asleep](const Value* cells) {
      return cells[asleep.cell] == 0;
    });
  }

  static Condition sleep_while_until(const Atomic<Number>& word, const Number& value,
                                     detail::Deadline) {
    lie_down(word, value);
    Recorder::current().kernel("futex: is awake, or its time is up",
                               [asleep = word.asleep](Value* cells) {
                                 if (cells[asleep.cell] != 0 && cells[happened.cell] == 0)
                                   return false;
                                 cells[timed_out.cell] = cells[asleep.cell];
                                 cells[asleep.cell] = 0;
                                 return true;
                               });
    return Recorder::current().perform(
               [](Thread& t) { return t.load(timed_out, Order::kRelaxed); }) == 0;
  }

  /// A handler that has run, or the deadline: either happens once, and ends the sleep.
  static Condition sleep_while_undisturbed(const Atomic<Number>& word, const Number& value,
                                           const detail::Deadline*) {
    return sleep_while_until(word, value, {});
  }

  static void wake(const Atomic<Number>& word) {
    if (with.wakes && with.signals_first) end_sleep(word);
  }

  static void ring(const Number& bell) {
    if (!with.rings) return;
    const bool is_there = bell == 1;
    if (!is_there) return;
    Recorder::current().kernel("the bell rings", [](Value* cells) {
      cells[rung.cell] = 1;
      return true;
    });
  }

  static inline ParkerIngredients with;
  static inline Var happened{};
  static inline Var timed_out{};
  static inline Var rung{};

 private:
  static void lie_down(const Atomic<Number>& word, const Number& value) {
    Recorder::current().kernel(
        "futex: lies down unless signalled",
        [word = word.cell(), asleep = word.asleep, value = value.known()](Value* cells) {
          cells[asleep.cell] = !with.kernel_compares || cells[word.cell] == value ? 1 : 0;
          return true;
        });
  }
  static void end_sleep(const Atomic<Number>& word) {
    Recorder::current().kernel("futex: wakes", [asleep = word.asleep](Value* cells) {
      cells[asleep.cell] = 0;
      return true;
    });
  }
};

/// Runs the code.
class ParkerModel {
 public:
  ParkerModel(Model& model, const ParkerIngredients& with)
      : barrier_(model, Help::kMembarrier),
        recorder_(model, barrier_, {{"signalled_"}, {"asleep"}, {"bell_"}}) {
    EXPECT_TRUE(recorder_.has_all_members());
    ParkerMachine::with = with;
    ParkerMachine::happened = model.variable("happened");
    ParkerMachine::timed_out = model.variable("timed_out");
    ParkerMachine::rung = model.variable("rung");
    constexpr auto kKind = Instruction::Kind::kReadModifyWrite;
    recorder_.weaken({"park", "signalled_", kKind, Order::kAcquire, with.take_signal});
    recorder_.weaken({"park_until", "signalled_", kKind, Order::kAcquire, with.take_timed});
    recorder_.weaken(
        {"park_undisturbed", "signalled_", kKind, Order::kAcquire, with.take_undisturbed});
    recorder_.weaken({"unpark", "signalled_", kKind, Order::kAcqRel, with.signal});
    recorder_.weaken({"watch", "signalled_", kKind, Order::kAcqRel, with.begin_watch});
    recorder_.weaken({"watch", "signalled_", kKind, Order::kAcquire, with.end_watch});
  }

  void park(Thread& t) {
    recorder_.call(
        t, "park", [this] { parker_.park(); }, kLooks);
  }
  /// Returns 1 if it took a signal, 0 if the time ran out.
  Reg park_until(Thread& t) {
    return outcome(t, "park_until", [this] { return parker_.park_until({}); });
  }
  /// Returns 1 if it took a signal, 0 if a handler has interrupted it.
  Reg park_undisturbed(Thread& t) {
    return outcome(t, "park_undisturbed", [this] { return parker_.park_undisturbed(nullptr); });
  }
  void unpark(Thread& t) {
    recorder_.call(t, "unpark", [this] { parker_.unpark(); });
  }

  /// Watches until the bell rings or there is an event. Returns 1 if it took a signal.
  Reg watch(Thread& t) {
    return outcome(t, "watch", [this] {
      parker_.set_bell(1);
      if (!parker_.begin_watch()) return true;
      recorder_.kernel("wakes by the bell or an event", [](const Value* cells) {
        return cells[ParkerMachine::rung.cell] != 0 || cells[ParkerMachine::happened.cell] != 0;
      });
      return parker_.end_watch();
    });
  }

  /// The time runs out, or a handler has run, or an event comes.
  void happen(Thread& t) const {
    t.kernel("happens", [happened = ParkerMachine::happened](Value* cells) {
      cells[happened.cell] = 1;
      return true;
    });
  }

  bool has_no_signal(const End& end) const { return end[recorder_.member("signalled_")] == 0; }

 private:
  /// Each signal makes the thread look at most once more.
  static constexpr std::size_t kLooks = 4;

  Reg outcome(Thread& t, const std::string& name, const std::function<bool()>& body) {
    const Reg result = t.variable();
    recorder_.call(
        t, name,
        [&] {
          const bool outcome = body();
          recorder_.perform([&](Thread&) -> Expr {
            t.set(result, outcome ? 1 : 0);
            return 0;
          });
        },
        2 * kLooks);
    return result;
  }

  BarrierModel barrier_;
  Recorder recorder_;
  detail::BasicParker<ParkerMachine> parker_;
};

}  // namespace kumiko::runtime::model
