#include "port/port.hpp"

#include <cerrno>
#include <new>

#include <kumiko/runtime/io/limits.hpp>

#include "core/completion.hpp"
#include "core/scheduler.hpp"
#include "core/worker.hpp"
#include "io/call.hpp"
#include "io/descriptor_kind.hpp"
#include "io/operation.hpp"
#include "io/service.hpp"

namespace kumiko::runtime::port {

namespace {

using detail::Descriptor;
using detail::IoService;
using detail::JoinState;
using detail::Operation;
namespace join_word = detail::join_word;

}  // namespace

std::span<std::byte> own_stack() noexcept {
  const auto& self = *static_cast<const Descriptor*>(detail::running_thread());
  return {self.stack_bottom(), self.stack_size};
}

void leave_thread_pointer() noexcept { detail::current_worker()->leave_thread_pointer(); }

void forget_worker() noexcept { detail::kumiko_worker_front = nullptr; }

void start(const NewThread& thread, SourceLocation where) {
  const detail::Reservation made =
      detail::reserve_thread(sizeof(void*), alignof(void*), nullptr, where);
  ::new (made.storage) void*(thread.argument);
  made.thread->thread_pointer = thread.thread_pointer;
  JoinState& state = *made.join_state;
  detail::start_thread(made.thread, thread.call);
  // Nobody joins. As Thread::detach(), whose comments hold here.
  std::uintptr_t expected = join_word::kRunning;
  if (!state.word.compare_exchange_strong(expected, join_word::kDetached, std::memory_order_release,
                                          std::memory_order_acquire)) {
    detail::release(state);
  }
}

Workers::Workers(const Options& options)
    : scheduler_(std::make_unique<detail::Scheduler>(options)) {}

Workers::~Workers() = default;

std::size_t Workers::count() const noexcept { return scheduler_->worker_count(); }

/// Does what Scheduler::run_root() does, but detached. The scheduler does not count the thread: it
/// would only do so to find out when it ends, or that nothing moves.
void Workers::start_from_outside(const NewThread& thread, SourceLocation where) {
  Descriptor& made = scheduler_->reserve_from_outside(where);
  ::new (made.prepare(sizeof(void*), alignof(void*))) void*(thread.argument);
  made.start_later(thread.call);
  made.join_state->word.store(join_word::kDetached, std::memory_order_relaxed);
  made.thread_pointer = thread.thread_pointer;
  // release: pairs with the acquire in report_blocked_threads().
  made.alive.store(true, std::memory_order_release);
  scheduler_->inject(made);
}

bool Workers::has_io() const noexcept {
  const IoService* const io = IoService::of(*scheduler_);
  return io != nullptr && io->is_of_this_process();
}

void Workers::end_waits_for(int descriptor) noexcept {
  IoService::of(*scheduler_)->close_here(descriptor, true);
}

void InterruptibleWait::interrupt() noexcept { operation_->interrupt(); }

void InterruptibleWait::set(Operation* operation) noexcept {
  guard_.lock();
  operation_ = operation;
  guard_.unlock();
}

std::int64_t run(const Request& request, Deadline deadline, InterruptibleWait& wait,
                 bool (*is_interrupted)(const void* context), const void* context) noexcept {
  Operation operation(request);
  wait.set(&operation);
  if (is_interrupted(context)) operation.interrupt();
  const std::int64_t result = detail::run(operation, io::until(deadline));
  wait.set(nullptr);
  return result == -ETIMEDOUT && operation.is_interrupted() ? -EINTR : result;
}

std::int64_t try_now(const Request& request) noexcept {
  detail::DescriptorKind kind{};
  if (const int error = detail::classify(request.descriptor, kind); error != 0) return error;
  return Operation(request).attempt(kind);
}

std::int64_t close(int descriptor) noexcept { return detail::run_close(descriptor); }

}  // namespace kumiko::runtime::port
