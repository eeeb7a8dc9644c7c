// A machine that the runtime's own code runs on to write down, as a program for the checker, what
// it would do on a processor.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support.hpp"

namespace kumiko::runtime::model {

/// An order that a test takes away from the code: where `call` does `access` to `variable` in order
/// `from`, it does so in order `to` instead.
struct Weakened {
  std::string call;  ///< as named in Recorder::call(); empty: any
  std::string variable;
  Instruction::Kind access;
  Order from;
  Order to;
};

/// A member of the code's class: its name, and what it holds at the beginning.
struct Member {
  std::string name;
  int initial = 0;
};

/// Runs C++ functions and writes their accesses into a Thread. What they read is not known then, so
/// each value is an expression over registers; where a condition depends on one the function is run
/// once for either outcome, and the program has a branch there. The paths meet at the call's end.
class Recorder {
 public:
  /// `members` are those of the code that is constructed next, see expect().
  Recorder(Model& model, const BarrierModel& barrier, std::vector<Member> members = {})
      : model_(model), barrier_(barrier) {
    current_ = this;
    expect(std::move(members));
  }
  ~Recorder() { current_ = nullptr; }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// The one that code runs on now.
  static Recorder& current() { return *current_; }

  /// In one call only, or in any.
  void leave_out_light(std::string call = {}) { without_light_.push_back(std::move(call)); }
  void leave_out_heavy() { heavy_ = false; }
  /// Takes the order away if the test asks for another one.
  void weaken(Weakened weakened) {
    if (weakened.from != weakened.to) weakened_.push_back(std::move(weakened));
  }

  /// Names the members that are constructed next, in their order.
  void expect(std::vector<Member> members);
  Var add_member();
  /// All members that were named have been constructed, so that each has its own name.
  bool has_all_members() const { return members_.empty(); }
  Var member(const std::string& name) const;

  /// Writes what `body` does to the end of the thread's program. `most_decisions` bounds the loops.
  void call(Thread& thread, const std::string& name, const std::function<void()>& body,
            std::size_t most_decisions = 16);

  // Within a call:

  /// Adds to the program, unless this path has been there before, and returns what is read.
  Expr perform(const std::function<Expr(Thread&)>& step);
  /// Adds a step of the kernel, likewise.
  void kernel(std::string_view what, const std::function<bool(Value*)>& step);
  bool decide(const Expr& condition);
  Order order(Var variable, Instruction::Kind access, std::memory_order order) const;
  void light();
  void heavy();

 private:
  struct Decision {
    Thread::Label otherwise;
    std::size_t steps;  ///< before it
    bool outcome;
  };

  static inline Recorder* current_ = nullptr;  ///< the last one made, unless in a call of another

  Model& model_;
  const BarrierModel& barrier_;
  std::vector<std::string> without_light_;
  bool heavy_ = true;
  std::vector<Weakened> weakened_;
  std::vector<Member> members_;
  std::vector<std::pair<std::string, Var>> variables_;

  Thread* thread_ = nullptr;
  std::string call_;
  std::size_t most_decisions_ = 0;
  std::vector<Expr> steps_;  ///< what each step of the path has read
  std::vector<Decision> decisions_;
  std::size_t repeated_steps_ = 0;
  std::size_t repeated_decisions_ = 0;
  bool is_cut_ = false;
  bool turn_ = false;
};

/// A condition of the code. Asked for its outcome it has both, one after the other.
class Condition {
 public:
  Condition(Expr condition) : condition_(condition) {}
  Condition(bool known) : condition_(0), known_(known) {}
  operator bool() const { return known_ ? *known_ : Recorder::current().decide(condition_); }

 private:
  Expr condition_;
  std::optional<bool> known_;
};

/// A number, or a pointer, of the code: one that is known or one that is read.
class Number {
 public:
  Number() : Number(0) {}
  Number(int known) : value_(known), known_(known) {}
  Number(std::nullptr_t) : Number(0) {}
  Number(const Expr& value) : value_(value) {}

  const Expr& value() const { return value_; }
  int known() const { return known_.value(); }

  /// A pointer that is never null, so that the code's question whether it is decides nothing.
  static Number not_null(const Expr& value) {
    Number pointer(value);
    pointer.is_not_null_ = true;
    return pointer;
  }

  friend Number operator+(const Number& a, const Number& b) {
    return a.known_ && b.known_ ? Number(*a.known_ + *b.known_) : Number(a.value_ + b.value_);
  }
  friend Number operator-(const Number& a, const Number& b) {
    return a.known_ && b.known_ ? Number(*a.known_ - *b.known_) : Number(a.value_ - b.value_);
  }
  friend Number operator/(const Number& a, int b) { return Number(a.value_ / b); }
  friend Number operator%(const Number& a, int b) { return Number(a.value_ % b); }
  Number& operator++() { return *this = *this + 1; }

  friend Condition operator<(const Number& a, const Number& b) {
    return a.known_ && b.known_ ? Condition(*a.known_ < *b.known_) : Condition(a.value_ < b.value_);
  }
  friend Condition operator==(const Number& a, const Number& b) {
    if (a.known_ && b.known_) return *a.known_ == *b.known_;
    if ((a.is_not_null_ && b.known_ == 0) || (b.is_not_null_ && a.known_ == 0)) return false;
    return a.value_ == b.value_;
  }
  friend Condition operator!=(const Number& a, const Number& b) {
    if (a.known_ && b.known_) return *a.known_ != *b.known_;
    if ((a.is_not_null_ && b.known_ == 0) || (b.is_not_null_ && a.known_ == 0)) return true;
    return a.value_ != b.value_;
  }
  friend Condition operator>(const Number& a, const Number& b) { return b < a; }
  friend Condition operator>=(const Number& a, const Number& b) {
    return a.known_ && b.known_ ? Condition(*a.known_ >= *b.known_)
                                : Condition(a.value_ >= b.value_);
  }
  friend Condition operator<=(const Number& a, const Number& b) { return b >= a; }

 private:
  Expr value_;
  std::optional<int> known_;
  bool is_not_null_ = false;
};

/// Stands for kumiko::runtime::detail::Hardware where the code is recorded. What an atomic or plain
/// member begins with is told by Recorder::expect(), not by its constructor.
struct RecordingMachine {
  using Number = model::Number;
  template <class T>
  using Pointer = model::Number;

  template <class T>
  class Atomic {
   public:
    Atomic(const T&) : cell_(Recorder::current().add_member()) {}

    T load(std::memory_order order) const {
      const Order real = real_order(Instruction::Kind::kLoad, order);
      return Recorder::current().perform([&](Thread& t) { return t.load(cell_, real); });
    }
    void store(const T& value, std::memory_order order) {
      const Order real = real_order(Instruction::Kind::kStore, order);
      Recorder::current().perform([&](Thread& t) -> Expr {
        t.store(cell_, value.value(), real);
        return 0;
      });
    }
    T exchange(const T& value, std::memory_order order) {
      return modify(order, [&](const Expr&) { return value.value(); });
    }
    T fetch_add(const T& value, std::memory_order order) {
      return modify(order, [&](const Expr& before) { return before + value.value(); });
    }
    T fetch_sub(const T& value, std::memory_order order) {
      return modify(order, [&](const Expr& before) { return before - value.value(); });
    }
    /// Where it fails it is a load only, which acquires if `order` does.
    Condition compare_exchange_strong(T& expected, const T& desired, std::memory_order order) {
      const Order real = real_order(Instruction::Kind::kReadModifyWrite, order);
      const T before = Recorder::current().perform([&](Thread& t) {
        return t.compare_and_exchange(cell_, expected.known(), desired.value(), real);
      });
      return before == std::exchange(expected, before);
    }

    Var cell() const { return cell_; }

   private:
    T modify(std::memory_order order, const std::function<Expr(const Expr&)>& change) {
      const Order real = real_order(Instruction::Kind::kReadModifyWrite, order);
      return Recorder::current().perform(
          [&](Thread& t) { return t.read_modify_write(cell_, real, change); });
    }
    Order real_order(Instruction::Kind access, std::memory_order order) const {
      return Recorder::current().order(cell_, access, order);
    }

    Var cell_;
  };

  template <class T>
  class Plain {
   public:
    Plain(const T& initial) : cell_(initial) {}
    operator T() const { return cell_.load(std::memory_order_relaxed); }
    void operator=(const T& value) { cell_.store(value, std::memory_order_relaxed); }
    void operator++() { *this = T(*this) + 1; }

   private:
    Atomic<T> cell_;
  };

  /// A SpinLock. A waiter is not seen to spin.
  class Lock {
   public:
    Lock() : cell_(Recorder::current().add_member()) {}

    void lock() {
      const Order order = acquire();
      Recorder::current().perform([&](Thread& t) -> Expr {
        t.await_and_exchange(cell_, 0, 1, order);
        return 0;
      });
    }
    bool try_lock() {
      const Order order = acquire();
      return Number(Recorder::current().perform(
                 [&](Thread& t) { return t.exchange(cell_, 1, order); })) == 0;
    }
    void unlock() {
      const Order order =
          Recorder::current().order(cell_, Instruction::Kind::kStore, std::memory_order_release);
      Recorder::current().perform([&](Thread& t) -> Expr {
        t.store(cell_, 0, order);
        return 0;
      });
    }

   private:
    Order acquire() const {
      return Recorder::current().order(cell_, Instruction::Kind::kReadModifyWrite,
                                       std::memory_order_acquire);
    }

    Var cell_;
  };

  struct Barrier {
    void light() { Recorder::current().light(); }
    void heavy() { Recorder::current().heavy(); }
  };

  /// A ring of pointers that are not null, for which there is never memory to grow.
  template <class T>
  class Ring {
   public:
    class Slot {
     public:
      explicit Slot(const Place& place) : place_(place) {}
      operator Number() const {
        return Number::not_null(Recorder::current().perform(
            [&](Thread& t) { return t.load(place_, Order::kRelaxed); }));
      }
      void operator=(const Number& element) {
        Recorder::current().perform([&](Thread& t) -> Expr {
          t.store(place_, element.value(), Order::kRelaxed);
          return 0;
        });
      }
      void operator=(const Slot& other) { *this = Number(other); }

     private:
      Place place_;
    };

    explicit Ring(std::size_t capacity) : capacity_(static_cast<int>(capacity)) {
      for (int i = 0; i < capacity_; ++i) {
        const Var slot = Recorder::current().add_member();
        if (i == 0) first_ = slot.cell;
      }
    }

    Number capacity() const { return capacity_; }
    Slot operator[](const Number& index) const {
      return Slot(Array{first_, capacity_}[index.value() % capacity_]);
    }
    Ring twice_as_large() const { return Ring(); }
    explicit operator bool() const { return capacity_ != 0; }

   private:
    Ring() = default;

    int capacity_ = 0;
    int first_ = 0;
  };
};

}  // namespace kumiko::runtime::model
