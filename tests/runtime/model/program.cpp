#include "program.hpp"

#include <algorithm>
#include <stdexcept>

namespace kumiko::runtime::model {

namespace {

int apply(Expr::Op op, int a, int b) noexcept {
  switch (op) {
    case Expr::Op::kAdd:
      return a + b;
    case Expr::Op::kSubtract:
      return a - b;
    case Expr::Op::kDivide:
      return a / b;
    case Expr::Op::kRemainder:
      return a % b;
    case Expr::Op::kLess:
      return a < b ? 1 : 0;
    case Expr::Op::kEqual:
      return a == b ? 1 : 0;
    default:
      return a != 0 && b != 0 ? 1 : 0;
  }
}

}  // namespace

// --- Expressions ---------------------------------------------------------------------------------

Expr::Expr(Op op, const Expr& a, const Expr& b)
    : size_(static_cast<std::uint8_t>(a.size_ + b.size_ + 1)), terms_(a.terms_) {
  if (size_ > kMaxTerms) throw std::length_error("an expression with too many terms");
  std::copy_n(b.terms_.begin(), b.size_, terms_.begin() + a.size_);
  terms_[size_ - std::size_t{1}] = {op, 0};
}

Value Expr::evaluate(const Value* registers) const noexcept {
  std::array<Value, kMaxTerms> stack;
  std::size_t height = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    const Term& term = terms_[i];
    if (term.op == Op::kConstant) {
      stack[height++] = term.value;
    } else if (term.op == Op::kRegister) {
      const Value value = registers[term.value];
      if (value == kUnset) return kUnset;
      stack[height++] = value;
    } else {
      --height;
      stack[height - 1] = static_cast<Value>(apply(term.op, stack[height - 1], stack[height]));
    }
  }
  return stack[0];
}

// --- Threads -------------------------------------------------------------------------------------

Reg Thread::add_register(bool is_result) {
  is_result_.push_back(is_result);
  return {index_, registers() - 1};
}

Reg Thread::load(const Place& place, Order order) {
  const Reg reg = add_register(false);
  instructions_.push_back(
      {.kind = Instruction::Kind::kLoad, .order = order, .place = place, .reg = reg.index()});
  return reg;
}

void Thread::store(const Place& place, const Expr& value, Order order) {
  instructions_.push_back(
      {.kind = Instruction::Kind::kStore, .order = order, .place = place, .value = value});
}

Reg Thread::read_modify_write(const Place& place, Order order,
                              const std::function<Expr(Reg)>& change) {
  const Reg reg = add_register(false);
  instructions_.push_back({.kind = Instruction::Kind::kReadModifyWrite,
                           .order = order,
                           .place = place,
                           .value = change(reg),
                           .reg = reg.index()});
  return reg;
}

Reg Thread::exchange(const Place& place, const Expr& value, Order order) {
  return read_modify_write(place, order, [&](const Reg&) { return value; });
}

Reg Thread::fetch_add(const Place& place, const Expr& value, Order order) {
  return read_modify_write(place, order, [&](const Reg& before) { return before + value; });
}

Reg Thread::compare_and_exchange(const Place& place, int expected, const Expr& desired,
                                 Order order) {
  const Reg before = exchange(place, desired, order);
  instructions_.back().expected = static_cast<Value>(expected);
  return before;
}

void Thread::await_and_exchange(const Place& place, int from, int to, Order order) {
  exchange(place, to, order);
  instructions_.back().awaited = from;
}

void Thread::fence() { instructions_.push_back({.kind = Instruction::Kind::kFence}); }

void Thread::compiler_barrier() {
  instructions_.push_back({.kind = Instruction::Kind::kCompilerBarrier});
}

void Thread::membarrier() {
  for (int other = 0; other < threads_; ++other) {
    if (other == index_) continue;
    instructions_.push_back({.kind = Instruction::Kind::kInterrupt, .target = other});
  }
}

void Thread::kernel(std::string_view what, std::function<bool(Value*)> step) {
  instructions_.push_back(
      {.kind = Instruction::Kind::kKernel, .what = what, .step = std::move(step)});
}

Reg Thread::variable() { return add_register(false); }

Reg Thread::result() { return add_register(true); }

void Thread::set(const Reg& reg, const Expr& value) {
  instructions_.push_back({.kind = Instruction::Kind::kSet, .value = value, .reg = reg.index()});
}

Reg Thread::result(const Expr& value) {
  const Reg reg = result();
  set(reg, value);
  return reg;
}

void Thread::go_to_if(const Expr& condition, Label& label) {
  label.branches_.push_back(next());
  instructions_.push_back({.kind = Instruction::Kind::kBranch, .value = !condition});
}

void Thread::place(Label& label) {
  for (const int branch : label.branches_) {
    instructions_[static_cast<std::size_t>(branch)].target = next();
  }
}

void Thread::when(const Expr& condition, const std::function<void()>& then,
                  const std::function<void()>& otherwise) {
  Label otherwise_label;
  go_to_if(!condition, otherwise_label);
  then();
  if (otherwise == nullptr) {
    place(otherwise_label);
    return;
  }
  Label end;
  go_to(end);
  place(otherwise_label);
  otherwise();
  place(end);
}

void Thread::cut() { instructions_.push_back({.kind = Instruction::Kind::kCut}); }

// --- Models --------------------------------------------------------------------------------------

Model::Model(std::vector<std::string> thread_names) : thread_names_(std::move(thread_names)) {
  const int count = static_cast<int>(thread_names_.size());
  for (int i = 0; i < count; ++i) threads_.emplace_back(i, count);
}

Var Model::variable(const std::string& name, int initial) {
  cells_.push_back(static_cast<Value>(initial));
  cell_names_.push_back(name);
  return {static_cast<int>(cells_.size()) - 1};
}

Array Model::array(const std::string& name, const std::vector<int>& initial) {
  const Array array{static_cast<int>(cells_.size()), static_cast<int>(initial.size())};
  for (std::size_t i = 0; i < initial.size(); ++i) {
    variable(name + "[" + std::to_string(i) + "]", initial[i]);
  }
  return array;
}

}  // namespace kumiko::runtime::model
