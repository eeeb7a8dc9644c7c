// Makes memory into what the GNU C library takes for a thread of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tls_modules.hpp"

namespace kumiko::pthread {

/// What we must know of the GNU C library's `struct pthread`, the block of a thread at its thread
/// pointer. Asked of the running library, which describes itself to debuggers; nothing is compiled
/// in but the head of the block, which is part of the ABI.
class LibcThread {
 public:
  /// \throws std::runtime_error that says what this C library lacks.
  LibcThread();

  std::size_t storage_below() const noexcept { return static_size_ - thread_size_; }
  std::size_t thread_size() const noexcept { return thread_size_; }
  std::size_t alignment() const noexcept { return alignment_; }

  /// Makes zeroed memory around `thread_pointer` a thread's. Returns false without memory.
  /// `changes` is the block's own note of which modules it knows, here and in renew().
  bool make(void* thread_pointer, int index, unsigned long long& changes) const noexcept;

  /// Gives the thread-local variables of loaded modules their initial values, those of the C
  /// library excepted: they hold caches of malloc and others, which would be lost.
  bool renew(void* thread_pointer, unsigned long long& changes) const noexcept;

  /// The word in which the library keeps what has been asked of a thread.
  std::atomic<int>& cancel_word(void* thread_pointer) const noexcept;

  // Bits of cancel_word().
  static constexpr int kCancelDisabled = 1;
  static constexpr int kCancelling = 4;  ///< pthread_cancel() is at work; stays set
  static constexpr int kCancelled = 8;   ///< pthread_cancel() has been called
  static constexpr int kExiting = 16;

  /// Calls the destructors of the running thread's C++ thread_local variables and of its keys, in
  /// the C library's order.
  void destroy_variables() const noexcept;

 private:
  struct Key {
    std::uintptr_t sequence;  ///< odd: in use
    void (*destroy)(void*);
  };

  static bool has_dynamic_variables(void* thread_pointer) noexcept;
  bool has_been_used(unsigned key) const noexcept;
  bool destroy_key_values() const noexcept;

  std::size_t static_size_ = 0;
  std::size_t alignment_ = 0;
  std::size_t thread_size_ = 0;
  std::size_t id_ = 0;  ///< offsets
  std::size_t list_ = 0;
  std::size_t cancel_ = 0;
  std::size_t robust_ = 0;
  std::ptrdiff_t rseq_ = 0;
  const Key* keys_ = nullptr;
  void* (*allocate_tls_)(void*) = nullptr;
  void (*deallocate_tls_)(void*, bool) = nullptr;
  void (*call_tls_destructors_)() = nullptr;
  std::optional<TlsModules> modules_;
};

}  // namespace kumiko::pthread
