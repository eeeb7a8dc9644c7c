// Tells AddressSanitizer and ThreadSanitizer which stack runs; compiles to nothing without them.
#pragma once

#include <cstddef>

#include <pthread.h>

#if defined(__SANITIZE_ADDRESS__)
#define KUMIKO_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KUMIKO_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define KUMIKO_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KUMIKO_TSAN 1
#endif
#endif

#if defined(KUMIKO_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(KUMIKO_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

/// Marks a function that leaves one stack and goes on on another. Sanitizers keep notes per stack
/// (ThreadSanitizer: a shadow call stack); code of theirs around the switch would write the notes
/// of one stack into the other's. Instrumented functions are never inlined into such a function.
#if !defined(KUMIKO_ASAN) && !defined(KUMIKO_TSAN)
#define KUMIKO_SWITCHES_STACKS
#elif defined(__clang__)
#define KUMIKO_SWITCHES_STACKS [[gnu::noinline]] __attribute__((disable_sanitizer_instrumentation))
#else
#define KUMIKO_SWITCHES_STACKS \
  [[gnu::noinline]] __attribute__((no_sanitize("thread", "address", "undefined")))
#endif

/// Tells AddressSanitizer and ThreadSanitizer which stack runs. Nothing in other builds.
namespace kumiko::runtime::detail::sanitizer {

#if defined(KUMIKO_ASAN) || defined(KUMIKO_TSAN)
inline constexpr bool kActive = true;
#else
inline constexpr bool kActive = false;
#endif

/// What the sanitizers know of a stack, and its use in progress.
struct StackNotes {
#if defined(KUMIKO_ASAN)
  const void* bottom = nullptr;
  std::size_t size = 0;
  void* fake_stack = nullptr;
#endif
#if defined(KUMIKO_TSAN)
  void* fiber = nullptr;
#endif
};

/// Notes on the OS thread's own stack.
inline StackNotes os_thread_notes() noexcept {
  StackNotes notes;
#if defined(KUMIKO_ASAN)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* bottom = nullptr;
    if (pthread_attr_getstack(&attributes, &bottom, &notes.size) == 0) notes.bottom = bottom;
    pthread_attr_destroy(&attributes);
  }
#endif
#if defined(KUMIKO_TSAN)
  notes.fiber = __tsan_get_current_fiber();
#endif
  return notes;
}

/// Prepares a stack for a new thread: frames that never returned have left it poisoned. A
/// ThreadSanitizer fiber costs 0.3 ms and 0.8 MB, and there may be about 8000, so a stack keeps its
/// fiber from its first use on.
inline void renew(StackNotes& notes, [[maybe_unused]] void* bottom,
                  [[maybe_unused]] std::size_t size) noexcept {
#if defined(KUMIKO_ASAN)
  notes = {bottom, size, nullptr};
  __asan_unpoison_memory_region(bottom, size);
#endif
#if defined(KUMIKO_TSAN)
  if (notes.fiber == nullptr) notes.fiber = __tsan_create_fiber(0);
#endif
  static_cast<void>(notes);
}

/// Forgets a stack; to be called before its memory is unmapped.
inline void forget([[maybe_unused]] StackNotes& notes) noexcept {
#if defined(KUMIKO_TSAN)
  if (notes.fiber != nullptr) __tsan_destroy_fiber(notes.fiber);
#endif
}

/// Immediately before a switch away from the stack of `from`, nullptr if it will not come back.
[[gnu::always_inline]] inline void leave([[maybe_unused]] StackNotes* from,
                                         [[maybe_unused]] const StackNotes& to) noexcept {
#if defined(KUMIKO_ASAN)
  __sanitizer_start_switch_fiber(from == nullptr ? nullptr : &from->fake_stack, to.bottom, to.size);
#endif
#if defined(KUMIKO_TSAN)
  __tsan_switch_to_fiber(to.fiber, 0);
#endif
}

/// Immediately after a switch to the stack of `self`, on its first use too.
[[gnu::always_inline]] inline void arrive([[maybe_unused]] const StackNotes& self) noexcept {
#if defined(KUMIKO_ASAN)
  __sanitizer_finish_switch_fiber(self.fake_stack, nullptr, nullptr);
#endif
}

}  // namespace kumiko::runtime::detail::sanitizer
