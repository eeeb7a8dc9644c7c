#include "recorder.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace kumiko::runtime::model {

namespace {

Order order_of(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return Order::kRelaxed;
    case std::memory_order_consume:
    case std::memory_order_acquire:
      return Order::kAcquire;
    case std::memory_order_release:
      return Order::kRelease;
    case std::memory_order_acq_rel:
      return Order::kAcqRel;
    default:
      return Order::kSeqCst;
  }
}

}  // namespace

void Recorder::expect(std::vector<Member> members) {
  members_ = std::move(members);
  std::reverse(members_.begin(), members_.end());
}

Var Recorder::add_member() {
  if (members_.empty())
    throw std::logic_error("the code has a member that the model has no name for");
  const Member member = members_.back();
  members_.pop_back();
  variables_.emplace_back(member.name, model_.variable(member.name, member.initial));
  return variables_.back().second;
}

Var Recorder::member(const std::string& name) const {
  for (const auto& [known, variable] : variables_) {
    if (known == name) return variable;
  }
  throw std::logic_error("the model has no member " + name);
}

void Recorder::call(Thread& thread, const std::string& name, const std::function<void()>& body,
                    std::size_t most_decisions) {
  Recorder* const outer = std::exchange(current_, this);
  thread_ = &thread;
  call_ = name;
  most_decisions_ = most_decisions;
  steps_.clear();
  decisions_.clear();
  Thread::Label end;
  for (;;) {
    repeated_steps_ = 0;
    repeated_decisions_ = 0;
    is_cut_ = false;
    body();
    while (!decisions_.empty() && !decisions_.back().outcome) decisions_.pop_back();
    if (decisions_.empty()) break;
    thread.go_to(end);
    Decision& last = decisions_.back();
    last.outcome = false;
    steps_.resize(last.steps, 0);
    thread.place(last.otherwise);
  }
  thread.place(end);
  current_ = outer;
}

Expr Recorder::perform(const std::function<Expr(Thread&)>& step) {
  if (is_cut_) return 0;
  if (repeated_steps_ == steps_.size()) steps_.push_back(step(*thread_));
  return steps_[repeated_steps_++];
}

void Recorder::kernel(std::string_view what, const std::function<bool(Value*)>& step) {
  perform([&](Thread& t) -> Expr {
    t.kernel(what, step);
    return 0;
  });
}

bool Recorder::decide(const Expr& condition) {
  if (is_cut_)
    return turn_ = !turn_;  // nothing is written down any more; every loop ends some time
  if (repeated_decisions_ < decisions_.size()) return decisions_[repeated_decisions_++].outcome;
  if (decisions_.size() == most_decisions_) {
    thread_->cut();
    is_cut_ = true;
    return turn_;
  }
  decisions_.push_back({{}, steps_.size(), true});
  thread_->go_to_if(!condition, decisions_.back().otherwise);
  ++repeated_decisions_;
  return true;
}

Order Recorder::order(Var variable, Instruction::Kind access, std::memory_order order) const {
  const Order real = order_of(order);
  for (const Weakened& weakened : weakened_) {
    if ((weakened.call.empty() || weakened.call == call_) && weakened.access == access &&
        weakened.from == real && member(weakened.variable).cell == variable.cell) {
      return weakened.to;
    }
  }
  return real;
}

void Recorder::light() {
  for (const std::string& call : without_light_) {
    if (call.empty() || call == call_) return;
  }
  perform([&](Thread& t) -> Expr {
    barrier_.light(t);
    return 0;
  });
}

void Recorder::heavy() {
  if (!heavy_) return;
  perform([&](Thread& t) -> Expr {
    barrier_.heavy(t);
    return 0;
  });
}

}  // namespace kumiko::runtime::model
