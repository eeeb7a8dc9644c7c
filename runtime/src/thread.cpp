#include <exception>
#include <stdexcept>

#include <sched.h>

#include <kumiko/runtime/detail/waiter.hpp>
#include <kumiko/runtime/thread.hpp>

#include "completion.hpp"
#include "worker.hpp"

namespace kumiko::runtime {

namespace {

using detail::Descriptor;
using detail::Waiter;
namespace join_word = detail::join_word;

/// One wait for the end of one thread.
struct Join {
  Descriptor& thread;
  Waiter waiter;

  /// The joiner is off its stack; from its success on the thread's end wakes it.
  static void publish(void* join) {
    auto& self = *static_cast<Join*>(join);
    std::uintptr_t expected = join_word::kRunning;
    // release: pairs with the acquire in complete_left_behind(), for the waiter.
    // acquire on failure: pairs with its release, for the thread's effects.
    if (!self.thread.join.compare_exchange_strong(
            expected, reinterpret_cast<std::uintptr_t>(&self.waiter), std::memory_order_release,
            std::memory_order_acquire)) {
      self.waiter.wake();
    }
  }
};

ThreadId id_of(const Descriptor* thread) noexcept {
  return ThreadId(reinterpret_cast<std::uintptr_t>(thread));
}

}  // namespace

Thread::~Thread() {
  if (joinable()) std::terminate();
}

Thread& Thread::operator=(Thread&& other) noexcept {
  if (joinable()) std::terminate();
  thread_ = std::exchange(other.thread_, nullptr);
  return *this;
}

void Thread::join() {
  if (!joinable()) throw std::logic_error("Thread::join: not joinable");
  if (thread_ == detail::current_thread()) {
    throw std::logic_error("Thread::join: a thread cannot wait for itself");
  }
  Descriptor& thread = *std::exchange(thread_, nullptr);
  // acquire: pairs with the release in complete_left_behind().
  if (thread.join.load(std::memory_order_acquire) != join_word::kDone) {
    Join join{thread, {}};
    join.waiter.wait([](void* argument) { Join::publish(argument); }, &join);
  }
  const std::exception_ptr exception = std::exchange(thread.exception, nullptr);
  detail::release_descriptor(thread);
  if (exception != nullptr) std::rethrow_exception(exception);
}

void Thread::detach() {
  if (!joinable()) throw std::logic_error("Thread::detach: not joinable");
  Descriptor& thread = *std::exchange(thread_, nullptr);
  std::uintptr_t expected = join_word::kRunning;
  // acquire on failure: pairs with the release in complete_left_behind(), for the exception.
  // release on success: what the handle's owner did comes before the descriptor's next use.
  if (thread.join.compare_exchange_strong(expected, join_word::kDetached, std::memory_order_release,
                                          std::memory_order_acquire)) {
    return;
  }
  if (thread.exception != nullptr) std::terminate();
  detail::release_descriptor(thread);
}

ThreadId Thread::id() const noexcept { return id_of(thread_); }

namespace this_thread {

void yield() noexcept {
  Descriptor* const self = detail::current_thread();
  if (self == nullptr) {
    sched_yield();
    return;
  }
  detail::Worker::suspend({[](void* thread) {
                             detail::current_worker()->make_runnable_last(
                                 *static_cast<Descriptor*>(thread));
                           },
                           self});
}

ThreadId id() noexcept { return id_of(detail::current_thread()); }

int worker_index() noexcept {
  const detail::Worker* const worker = detail::current_worker();
  return worker != nullptr ? worker->index() : -1;
}

}  // namespace this_thread

}  // namespace kumiko::runtime
