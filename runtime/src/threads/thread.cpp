#include <exception>
#include <stdexcept>
#include <string>

#include <sched.h>

#include <kumiko/runtime/detail/lazy.hpp>
#include <kumiko/runtime/detail/waiter.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "core/completion.hpp"
#include "core/scheduler.hpp"
#include "core/worker.hpp"
#include "diagnosis/report.hpp"
#include "threads/join_counter.hpp"

namespace kumiko::runtime {

namespace {

using detail::Descriptor;
using detail::JoinState;
using detail::Waiter;
namespace join_word = detail::join_word;

/// One wait for the end of one thread.
struct Join {
  JoinState& state;
  Waiter waiter;

  /// The joiner is off its stack; from its success on the thread's end wakes it.
  static void publish(void* join) {
    auto& self = *static_cast<Join*>(join);
    std::uintptr_t expected = join_word::kRunning;
    // release: pairs with the acquire in complete_left_behind(), for the waiter.
    // acquire on failure: pairs with its release, for the thread's effects.
    if (!self.state.word.compare_exchange_strong(
            expected, reinterpret_cast<std::uintptr_t>(&self.waiter), std::memory_order_release,
            std::memory_order_acquire)) {
      self.waiter.wake();
    }
  }
};

[[noreturn]] void terminate_unjoined() noexcept {
  detail::terminate(
      "a joinable Thread is destroyed or assigned to; join() or detach() it first, also when an "
      "exception is thrown",
      nullptr);
}

Descriptor* current_descriptor() noexcept {
  return static_cast<Descriptor*>(detail::running_thread());
}

[[noreturn]] void throw_not_joinable(const std::string& call) {
  throw std::logic_error("Thread::" + call +
                         ": not joinable: it has been joined, detached or moved from");
}

}  // namespace

Thread::~Thread() {
  if (joinable()) terminate_unjoined();
}

Thread& Thread::operator=(Thread&& other) noexcept {
  if (joinable()) terminate_unjoined();
  state_ = std::exchange(other.state_, nullptr);
  stop_source_ = std::exchange(other.stop_source_, std::stop_source(std::nostopstate));
  return *this;
}

void Thread::join() {
  if (!joinable()) throw_not_joinable("join");
  if (const Descriptor* const self = current_descriptor();
      self != nullptr && self->group == nullptr && self->join_state == state_) {
    throw std::logic_error("Thread::join: a thread cannot wait for itself");
  }
  JoinState& state = *std::exchange(state_, nullptr);
  // acquire: pairs with the release in complete_left_behind().
  if (state.word.load(std::memory_order_acquire) != join_word::kDone) {
    Join join{state, Waiter({"the end of a thread", &state})};
    join.waiter.wait([](void* argument) { Join::publish(argument); }, &join);
  }
  const std::exception_ptr exception = std::exchange(state.exception, nullptr);
  detail::release(state);
  if (exception != nullptr) std::rethrow_exception(exception);
}

void Thread::detach() {
  if (!joinable()) throw_not_joinable("detach");
  JoinState& state = *std::exchange(state_, nullptr);
  std::uintptr_t expected = join_word::kRunning;
  // acquire on failure: pairs with the release in complete_left_behind(), for the exception.
  // release on success: what the handle's owner did comes before the descriptor's next use.
  if (state.word.compare_exchange_strong(expected, join_word::kDetached, std::memory_order_release,
                                         std::memory_order_acquire)) {
    return;
  }
  if (state.exception != nullptr) {
    detail::terminate("a thread that an exception has ended is detached; join() it",
                      state.exception);
  }
  detail::release(state);
}

namespace detail {

template void BasicJoinCounter<JoinHardware>::wait_slowly() noexcept;

void throw_no_group_owner() {
  throw std::logic_error("TaskGroup outside a lightweight thread; use Runtime::run to start one");
}

void throw_not_group_owner() {
  throw std::logic_error("TaskGroup::wait called by a thread that does not own the group");
}

void sleep_until(Deadline deadline) noexcept {
  if (deadline <= Deadline::clock::now()) {
    this_thread::yield();
    return;
  }
  Waiter waiter({"a point in time", nullptr});
  waiter.wait_until(
      deadline, [](void*) {}, nullptr);
}

void set_name(Descriptor& thread, std::string_view name) noexcept {
  std::size_t length = name.copy(thread.name.data(), thread.name.size() - 1);
  // The cut must not lie within a character: in UTF-8 its bytes but the first are 10xxxxxx.
  const auto continues = [&name](std::size_t at) {
    return at < name.size() && (static_cast<unsigned char>(name[at]) & 0xc0U) == 0x80U;
  };
  while (length > 0 && continues(length)) --length;
  thread.name[length] = '\0';
}

}  // namespace detail

ThreadId Thread::id() const noexcept { return ThreadId(reinterpret_cast<std::uintptr_t>(state_)); }

namespace this_thread {

void yield() noexcept {
  Descriptor* const self = current_descriptor();
  if (self == nullptr) {
    sched_yield();
    return;
  }
  detail::Worker::suspend({&detail::Worker::make_caller_runnable_last, self});
}

void poll() noexcept {
  if (const detail::WorkerFront* const worker = detail::worker_front(); worker != nullptr) {
    detail::poll(*worker);
  }
}

void poll_events() noexcept {
  detail::Worker* const worker = detail::current_worker();
  if (worker == nullptr || worker->scheduler().pollers() == nullptr) return;
  // relaxed: this worker answers itself.
  worker->requests.fetch_or(detail::request::kPoll, std::memory_order_relaxed);
  detail::poll(*worker);
}

ThreadId id() noexcept {
  const Descriptor* const self = current_descriptor();
  return self == nullptr ? ThreadId() : ThreadId(self->id());
}

void set_name(std::string_view name) noexcept {
  if (Descriptor* const self = current_descriptor(); self != nullptr) detail::set_name(*self, name);
}

std::string name() {
  const Descriptor* const self = current_descriptor();
  return self == nullptr ? std::string() : std::string(self->name.data());
}

int worker_index() noexcept {
  const detail::Worker* const worker = detail::current_worker();
  return worker != nullptr ? worker->index() : -1;
}

}  // namespace this_thread

}  // namespace kumiko::runtime
