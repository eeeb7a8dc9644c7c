// pthread_create, join, detach, exit, cancel: the life of a thread.
#include <cerrno>
#include <cstdint>
#include <exception>

#include <pthread.h>

#include "clock.hpp"
#include "engine.hpp"
#include "interpose.hpp"
#include "main_thread.hpp"
#include "ours.hpp"
#include "parking_lot.hpp"
#include "port/port.hpp"
#include "real.hpp"
#include "settings.hpp"
#include "thread_body.hpp"

namespace kumiko::pthread {

namespace {

/// Fills in what the attributes ask for.
void apply(const pthread_attr_t* attributes, const Engine& engine, ThreadRecord& record) noexcept {
  record.stack = nullptr;
  record.stack_size = 0;
  record.stack_is_callers = false;
  if (attributes == nullptr) return;
  int detached = 0;
  pthread_attr_getdetachstate(attributes, &detached);
  if (detached == PTHREAD_CREATE_DETACHED) {
    record.state.store(ThreadRecord::kDetached, std::memory_order_relaxed);
  }
  void* stack = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(attributes, &stack, &size);
  // The end of a stack that has not been given is 0, whether or not a size has been.
  if (reinterpret_cast<std::uintptr_t>(stack) + size != 0) {
    record.stack = static_cast<std::byte*>(stack);
    record.stack_size = size;
    record.stack_is_callers = true;
  } else if (size > engine.stack_size()) {
    constexpr std::size_t kPage = 4096;
    record.stack_size = (size + kPage - 1) / kPage * kPage;
  }
}

/// Starts the thread. From a lightweight one the child runs at once, and the caller goes on when it
/// waits or ends, or on another worker.
void start_thread(Engine& engine, ThreadRecord& record) {
  const runtime::port::NewThread thread{&run_thread, &record, record.thread_pointer};
  if (runtime::port::is_lightweight()) return runtime::port::start(thread);
  const SignalGuard guard;
  engine.workers().start_from_outside(thread);
}

int create(Engine& engine, pthread_t* thread, const pthread_attr_t* attributes,
           void* (*start)(void*), void* argument) noexcept {
  ThreadRecord* const record = engine.take_block();
  if (record == nullptr) return EAGAIN;
  record->state.store(0, std::memory_order_relaxed);
  record->exit_called = false;
  record->start = start;
  record->argument = argument;
  record->name[0] = '\0';
  sigset_t mask;
  ours::our_pthread_sigmask(SIG_BLOCK, nullptr, &mask);  // the creator's
  record->set_mask(mask);
  record->pending_signals.store(0, std::memory_order_relaxed);
  record->ends.store(false, std::memory_order_relaxed);
  apply(attributes, engine, *record);
  if (record->stack_size != 0 && !record->stack_is_callers) {
    record->stack = engine.large_stacks().take(record->stack_size);
    if (record->stack == nullptr) {
      engine.give_block(*record);
      return EAGAIN;
    }
  }
  *thread = record->handle();
  engine.note_begin();
  try {
    start_thread(engine, *record);
    return 0;
  } catch (const std::exception&) {
    forget_thread(engine, *record);
    return EAGAIN;
  }
}

/// pthread_join() for an OS thread.
int join_os_thread(pthread_t thread, void** result) {
  if (main_thread::is(thread)) return main_thread::join(result, nullptr);
  return real().pthread_join(thread, result);
}

/// Waits for the end of a thread, and forgets it. Without a `deadline` (nullptr) it waits for ever.
int join(ThreadRecord& record, void** result, const Deadline* deadline) {
  if (&record == ThreadRecord::running()) return EDEADLK;
  // acquire: pairs with the release of the end, here and below.
  const std::uint32_t before =
      record.state.fetch_or(ThreadRecord::kJoined, std::memory_order_acquire);
  if ((before & (ThreadRecord::kDetached | ThreadRecord::kJoined)) != 0) return EINVAL;
  // Another may join if the caller gives up: at its deadline, when it is cancelled, or when a
  // signal handler ends it.
  bool joined = false;
  const Finally give_up([&record, &joined] {
    if (!joined) record.state.fetch_and(~ThreadRecord::kJoined, std::memory_order_relaxed);
  });
  while ((record.state.load(std::memory_order_acquire) & ThreadRecord::kEnded) == 0) {
    const auto runs = [&record] {
      return (record.state.load(std::memory_order_relaxed) & ThreadRecord::kEnded) == 0;
    };
    const ParkResult woken =
        park(&record.state, runs,
             {"the end of a thread", deadline, Interrupts::kSignalsAndCancellation});
    if (woken == ParkResult::kTimedOut) return ETIMEDOUT;
    if (woken == ParkResult::kCancelled) real().pthread_testcancel();
  }
  joined = true;
  if (result != nullptr) *result = record.result;
  Engine::current()->give_block(record);
  return 0;
}

}  // namespace

ThreadRecord* ThreadRecord::of(pthread_t handle) noexcept {
  const Engine* const engine = Engine::current();
  return engine != nullptr ? engine->blocks().of(handle) : nullptr;
}

bool ThreadRecord::is_cancelled() const noexcept {
  constexpr int kBits = LibcThread::kCancelled | LibcThread::kCancelDisabled | LibcThread::kExiting;
  // seq_cst: pairs with set_cancelled(), see park_if().
  const int word =
      Engine::current()->libc().cancel_word(thread_pointer).load(std::memory_order_seq_cst);
  return (word & kBits) == LibcThread::kCancelled;
}

void ThreadRecord::set_cancelled() noexcept {
  Engine::current()
      ->libc()
      .cancel_word(thread_pointer)
      .fetch_or(LibcThread::kCancelled | LibcThread::kCancelling, std::memory_order_seq_cst);
}

}  // namespace kumiko::pthread

using namespace kumiko::pthread;

KUMIKO_INTERPOSE int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                    void* (*start)(void*), void* argument) {
  if (!settings().enabled) return real().pthread_create(thread, attributes, start, argument);
  Engine* const engine = Engine::obtain();
  if (engine == nullptr) return EAGAIN;
  return create(*engine, thread, attributes, start, argument);
}

KUMIKO_INTERPOSE int pthread_join(pthread_t thread, void** result) {
  ThreadRecord* const record = ThreadRecord::of(thread);
  if (record == nullptr) return join_os_thread(thread, result);
  return join(*record, result, nullptr);
}

KUMIKO_INTERPOSE int pthread_tryjoin_np(pthread_t thread, void** result) {
  ThreadRecord* const record = ThreadRecord::of(thread);
  if (record == nullptr) return real().pthread_tryjoin_np(thread, result);
  if ((record->state.load(std::memory_order_relaxed) & ThreadRecord::kEnded) == 0) return EBUSY;
  return join(*record, result, nullptr);
}

KUMIKO_INTERPOSE int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock,
                                          const timespec* time) {
  ThreadRecord* const record = ThreadRecord::of(thread);
  if (record == nullptr) return real().pthread_clockjoin_np(thread, result, clock, time);
  if (time == nullptr) return join(*record, result, nullptr);
  return wait_by_clock(clock, *time,
                       [&](const Deadline& deadline) { return join(*record, result, &deadline); });
}

KUMIKO_INTERPOSE int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* time) {
  return pthread_clockjoin_np(thread, result, CLOCK_REALTIME, time);
}

KUMIKO_INTERPOSE int pthread_detach(pthread_t thread) {
  ThreadRecord* const record = ThreadRecord::of(thread);
  if (record == nullptr) return real().pthread_detach(thread);
  // acq_rel: pairs with the same at the end.
  const std::uint32_t before =
      record->state.fetch_or(ThreadRecord::kDetached, std::memory_order_acq_rel);
  if ((before & ThreadRecord::kDetached) != 0) return EINVAL;
  if ((before & ThreadRecord::kEnded) != 0) Engine::current()->give_block(*record);
  return 0;
}

KUMIKO_INTERPOSE void pthread_exit(void* result) {
  if (ThreadRecord* const record = ThreadRecord::running(); record != nullptr) {
    record->exit_called = true;
    record->result = result;
  } else {
    main_thread::leave(result);
  }
  real().pthread_exit(result);
  __builtin_unreachable();
}

KUMIKO_INTERPOSE int pthread_cancel(pthread_t thread) {
  ThreadRecord* const record = ThreadRecord::of(thread);
  if (record == nullptr) return real().pthread_cancel(thread);
  if ((record->state.load(std::memory_order_relaxed) & ThreadRecord::kEnded) != 0) return 0;
  record->set_cancelled();
  interrupt_wait(*record);
  return 0;
}
