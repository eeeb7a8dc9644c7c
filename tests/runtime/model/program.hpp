// The language in which models are written: threads of instructions over cells and registers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// How a model is written down: a few threads, each a small program without loops (a loop is
/// unrolled by the C++ that builds it), over shared cells and registers of its own.
namespace kumiko::runtime::model {

using Value = std::int8_t;

/// What a register holds before it is set.
constexpr Value kUnset = INT8_MIN;

enum class Order : std::uint8_t { kRelaxed, kAcquire, kRelease, kAcqRel, kSeqCst };

constexpr bool acquires(Order order) noexcept {
  return order == Order::kAcquire || order == Order::kAcqRel || order == Order::kSeqCst;
}
constexpr bool releases(Order order) noexcept {
  return order == Order::kRelease || order == Order::kAcqRel || order == Order::kSeqCst;
}

/// An expression over constants and registers, in postfix form.
class Expr {
 public:
  enum class Op : std::uint8_t {
    kConstant,
    kRegister,
    kAdd,
    kSubtract,
    kDivide,
    kRemainder,
    kLess,
    kEqual,
    kAnd
  };

  Expr(int constant) : Expr(Op::kConstant, constant) {}

  /// kUnset if a register of it is.
  Value evaluate(const Value* registers) const noexcept;

  /// Calls use(index) for every register in it.
  template <class Use>
  void for_each_register(Use use) const {
    for (std::size_t i = 0; i < size_; ++i) {
      if (terms_[i].op == Op::kRegister) use(terms_[i].value);
    }
  }

  friend Expr operator+(const Expr& a, const Expr& b) { return {Op::kAdd, a, b}; }
  friend Expr operator-(const Expr& a, const Expr& b) { return {Op::kSubtract, a, b}; }
  friend Expr operator/(const Expr& a, const Expr& b) { return {Op::kDivide, a, b}; }
  friend Expr operator%(const Expr& a, const Expr& b) { return {Op::kRemainder, a, b}; }
  friend Expr operator<(const Expr& a, const Expr& b) { return {Op::kLess, a, b}; }
  friend Expr operator==(const Expr& a, const Expr& b) { return {Op::kEqual, a, b}; }
  friend Expr operator&&(const Expr& a, const Expr& b) { return {Op::kAnd, a, b}; }
  friend Expr operator!(const Expr& a) { return a == 0; }
  friend Expr operator>=(const Expr& a, const Expr& b) { return !(a < b); }
  friend Expr operator<=(const Expr& a, const Expr& b) { return b >= a; }
  friend Expr operator!=(const Expr& a, const Expr& b) { return !(a == b); }

 protected:
  Expr(Op leaf, int value) : size_(1) { terms_[0] = {leaf, static_cast<Value>(value)}; }

 private:
  struct Term {
    Op op;
    Value value;
  };

  Expr(Op op, const Expr& a, const Expr& b);

  static constexpr std::size_t kMaxTerms = 31;

  std::uint8_t size_;
  std::array<Term, kMaxTerms> terms_{};
};

/// A register, set at most once on every path through the program.
class Reg : public Expr {
 public:
  Reg(int thread, int index) : Expr(Op::kRegister, index), thread_(thread), index_(index) {}
  int thread() const noexcept { return thread_; }
  int index() const noexcept { return index_; }

 private:
  int thread_;
  int index_;
};

/// Where an access goes, by a constant or by what registers say.
struct Place {
  Expr cell;
  int first;  ///< the cells that it may be
  int last;
};

struct Var {
  int cell;
  operator Place() const { return {cell, cell, cell}; }
};

struct Array {
  int first;
  int size;
  Place operator[](const Expr& index) const { return {first + index, first, first + size - 1}; }
  Var at(int index) const { return {first + index}; }
};

struct Instruction {
  enum class Kind : std::uint8_t {
    kLoad,
    kStore,
    kReadModifyWrite,
    kFence,
    kCompilerBarrier,
    kInterrupt,  ///< a part of a membarrier, for one thread
    kKernel,
    kSet,
    kBranch,
    kCut
  };

  Kind kind;
  Order order = Order::kRelaxed;
  Place place = {0, 0, -1};
  Expr value = 0;           ///< stored, set, or branched on
  Expr awaited = kUnset;    ///< a read-modify-write waits until it reads this; kUnset: anything
  Value expected = kUnset;  ///< a read-modify-write stores only if it reads this; kUnset: anything
  int reg = -1;             ///< where a load or a read-modify-write puts what it reads
  int target = -1;          ///< of a branch: where to go unless `value`; the interrupted thread
  std::string_view what{};  ///< of a step of the kernel
  std::function<bool(Value*)> step = nullptr;  ///< on the cells; false: must wait
};

/// One thread's program, built by calling its members in program order.
class Thread {
 public:
  class Label {
   public:
    Label() = default;

   private:
    friend class Thread;
    std::vector<int> branches_;
  };

  Thread(int index, int threads) : index_(index), threads_(threads) {}

  Reg load(const Place& place, Order order);
  void store(const Place& place, const Expr& value, Order order);

  /// Stores change(what it reads), and returns what it reads.
  Reg read_modify_write(const Place& place, Order order, const std::function<Expr(Reg)>& change);
  Reg exchange(const Place& place, const Expr& value, Order order);
  Reg fetch_add(const Place& place, const Expr& value, Order order);
  /// Stores `desired` if it reads `expected`, and returns what it reads.
  Reg compare_and_exchange(const Place& place, int expected, const Expr& desired, Order order);
  /// Waits until the place holds `from`, and makes it `to`.
  void await_and_exchange(const Place& place, int from, int to, Order order);

  void fence();             ///< sequentially consistent
  void compiler_barrier();  ///< a signal fence: nothing to the processor
  void membarrier();        ///< interrupts every other thread

  /// One atomic step of the kernel, with a full barrier on both sides.
  void kernel(std::string_view what, std::function<bool(Value*)> step);

  Reg variable();  ///< to be set() on each path
  Reg result();    ///< the same, and kept for the property
  void set(const Reg& reg, const Expr& value);
  Reg result(const Expr& value);

  void go_to(Label& label) { go_to_if(1, label); }
  void go_to_if(const Expr& condition, Label& label);
  void place(Label& label);  ///< behind all that go to it
  void when(const Expr& condition, const std::function<void()>& then,
            const std::function<void()>& otherwise = nullptr);

  /// Ends the exploration of the path: an unrolled loop was too short for it.
  void cut();

  const std::vector<Instruction>& instructions() const noexcept { return instructions_; }
  int registers() const noexcept { return static_cast<int>(is_result_.size()); }
  bool is_result(int reg) const noexcept { return is_result_[static_cast<std::size_t>(reg)]; }

 private:
  Reg add_register(bool is_result);
  int next() const noexcept { return static_cast<int>(instructions_.size()); }

  int index_;
  int threads_;
  std::vector<Instruction> instructions_;
  std::vector<bool> is_result_;
};

/// The threads and the cells they share.
class Model {
 public:
  explicit Model(std::vector<std::string> thread_names);

  Var variable(const std::string& name, int initial = 0);
  Array array(const std::string& name, const std::vector<int>& initial);

  Thread& thread(int index) { return threads_[static_cast<std::size_t>(index)]; }
  const std::vector<Thread>& threads() const noexcept { return threads_; }
  const std::vector<Value>& cells() const noexcept { return cells_; }
  const std::string& thread_name(int index) const {
    return thread_names_[static_cast<std::size_t>(index)];
  }
  const std::string& cell_name(int cell) const {
    return cell_names_[static_cast<std::size_t>(cell)];
  }

 private:
  std::vector<std::string> thread_names_;
  std::vector<Thread> threads_;
  std::vector<Value> cells_;
  std::vector<std::string> cell_names_;
};

}  // namespace kumiko::runtime::model
