#include <stdexcept>
#include <string>
#include <utility>

#include <kumiko/runtime/detail/group_state.hpp>
#include <kumiko/runtime/detail/spawn.hpp>

#include "scheduler.hpp"
#include "worker.hpp"

namespace kumiko::runtime::detail {

namespace {

[[noreturn]] void throw_no_worker() {
  throw std::logic_error(
      "a lightweight thread spawned outside a lightweight thread; use Runtime::run to start one");
}

[[noreturn]] void throw_closure_too_large(std::size_t size, std::size_t stack_size) {
  throw std::length_error("a closure of " + std::to_string(size) +
                          " bytes does not fit on a stack of " + std::to_string(stack_size) +
                          " bytes; raise Options::stack_size or capture a pointer");
}

}  // namespace

Descriptor* current_thread() noexcept {
  const Worker* const worker = current_worker();
  return worker != nullptr ? worker->current() : nullptr;
}

Reservation reserve_thread(std::size_t size, std::size_t alignment) {
  Worker* const worker = current_worker();
  if (worker == nullptr) throw_no_worker();
  worker->deque().reserve_one();
  Stack* const stack = worker->stacks().take();
  Descriptor* thread = nullptr;
  try {
    thread = worker->descriptors().take();
  } catch (...) {
    worker->stacks().give(stack);
    throw;
  }
  void* const storage = thread->prepare(*stack, size, alignment);
  if (storage == nullptr) {
    thread->stack = stack;
    cancel_thread(thread);
    throw_closure_too_large(size, stack->size);
  }
  return {thread, storage};
}

void cancel_thread(Descriptor* thread) noexcept {
  // The copying of a closure may have suspended, so this may be another worker.
  Worker& worker = *current_worker();
  worker.stacks().give(thread->stack);
  worker.descriptors().give(thread);
}

void start_thread(Descriptor* thread, void (*call)(void*), GroupState* group) noexcept {
  Worker& worker = *current_worker();
  Descriptor& self = *worker.current();
  thread->call = call;
  thread->group = group;
  const bool for_other_owner = group != nullptr && group->owner != &self;
  if (for_other_owner) group->counter.add();
  worker.start_child(*thread);
  const bool ended = std::exchange(self.attached_child, nullptr) == nullptr;
  if (group == nullptr || ended != for_other_owner) return;
  if (for_other_owner) {
    // Never the last: whoever lets us add keeps the owner from waiting, or has a token itself.
    group->counter.leave();
  } else {
    group->counter.leave_behind();
  }
}

}  // namespace kumiko::runtime::detail
