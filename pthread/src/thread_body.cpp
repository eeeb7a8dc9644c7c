#include "thread_body.hpp"

#include <cerrno>
#include <clocale>
#include <cstdint>
#include <cstdlib>
#include <span>

#include <locale.h>
#include <pthread.h>
#include <unistd.h>

#include "engine.hpp"
#include "parking_lot.hpp"
#include "port/port.hpp"
#include "signals.hpp"

extern "C" {

void* kumiko_call_outermost(void* (*function)(void*), void* argument, void* top);

// What pthread_cleanup_push() is made of in C. glibc unwinds as far as the innermost of these.
void kumiko_register_cleanup(__pthread_unwind_buf_t* buffer) __asm__("__pthread_register_cancel");
void kumiko_unregister_cleanup(__pthread_unwind_buf_t* buffer) __asm__(
    "__pthread_unregister_cancel");
[[gnu::returns_twice]] int kumiko_save_registers(void* buffer,
                                                 int save_mask) __asm__("__sigsetjmp");
}

namespace kumiko::pthread {

namespace {

/// Runs the thread on the stack that the program asked for.
void* run_on_its_stack(void* argument) {
  auto& record = *static_cast<ThreadRecord*>(argument);
  __pthread_unwind_buf_t buffer;
  if (kumiko_save_registers(buffer.__cancel_jmp_buf, 0) == 0) {
    kumiko_register_cleanup(&buffer);
    record.result = kumiko_call_outermost(record.start, record.argument, nullptr);
  } else {
    if (!record.exit_called) record.result = PTHREAD_CANCELED;
    // Perhaps by a handler that the kernel called.
    if (Engine::current() != nullptr) reset_worker_mask();
  }
  kumiko_unregister_cleanup(&buffer);
  // No handler ends a thread from here on: there is no place left to unwind to.
  record.ends.store(true, std::memory_order_relaxed);
  // In the child of a fork() there may be no engine, and nothing to be reused.
  if (const Engine* const engine = Engine::current(); engine != nullptr) {
    engine->libc().destroy_variables();
  }
  return nullptr;
}

/// Ends a lightweight thread of the parent process in a child that it has made, where it is a plain
/// OS thread.
[[noreturn]] void end_in_child() noexcept {
  if (Engine* const engine = Engine::current(); engine != nullptr) {
    engine->note_main_left();
    for (;;) pause();
  }
  std::exit(0);
}

/// The thread's block is nobody's from here on: its variables must not be used. A function of its
/// own, so that no address of one is at hand.
[[gnu::noinline]] void end_without_block(Engine& engine, ThreadRecord& record) noexcept {
  // release: pairs with the acquire of whoever joins; the thread's effects come before it.
  // acquire: pairs with the release in pthread_detach().
  const std::uint32_t before =
      record.state.fetch_or(ThreadRecord::kEnded, std::memory_order_acq_rel);
  if ((before & ThreadRecord::kDetached) != 0) {
    engine.give_block(record);
  } else if ((before & ThreadRecord::kJoined) != 0) {
    unpark(&record.state, kAll);
  }
}

[[gnu::noinline]] void end(ThreadRecord& record) noexcept {
  if (!runtime::port::is_lightweight()) end_in_child();
  Engine& engine = *Engine::current();
  if (record.stack_size != 0 && !record.stack_is_callers) {
    engine.large_stacks().give(record.stack, record.stack_size);
  }
  engine.note_end();
  runtime::port::leave_thread_pointer();
  end_without_block(engine, record);
}

}  // namespace

void run_thread(void* place) {
  ThreadRecord& record = *static_cast<ThreadRecord*>(*static_cast<void**>(place));
  void* top = nullptr;
  if (record.stack_size != 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(record.stack + record.stack_size);
    top = reinterpret_cast<void*>(address & ~std::uintptr_t{63});
    record.stack_bytes = record.stack_size;
  } else {
    const std::span<std::byte> stack = runtime::port::own_stack();
    record.stack = stack.data();
    record.stack_bytes = stack.size();
  }
  // The block may come from a thread that had a locale of its own. Sets the tables of <ctype.h>
  // too.
  uselocale(LC_GLOBAL_LOCALE);
  errno = 0;
  kumiko_call_outermost(&run_on_its_stack, &record, top);
  end(record);
}

void forget_thread(Engine& engine, ThreadRecord& record) noexcept {
  if (record.stack_size != 0 && !record.stack_is_callers) {
    engine.large_stacks().give(record.stack, record.stack_size);
  }
  engine.take_back_begin();
  engine.give_block(record);
}

}  // namespace kumiko::pthread
