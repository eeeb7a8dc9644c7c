// The runtime that a program's POSIX threads run on, and the count that tells when the process
// ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <kumiko/runtime/options.hpp>

#include "large_stacks.hpp"
#include "libc_thread.hpp"
#include "port/port.hpp"
#include "thread_blocks.hpp"

namespace kumiko::pthread {

/// The one runtime of the process and what its threads take from. Made at the first
/// pthread_create(), never destroyed: the process ends with its threads running, as always.
///
/// A child made by fork() has none, until it makes its own; the thread that called fork(), if it
/// was a lightweight one, is a plain OS thread there.
class Engine {
 public:
  /// \throws std::exception if this system cannot have it; the message says why.
  Engine();

  /// The process's engine, nullptr if it has not been made yet.
  static Engine* current() noexcept {
    // acquire: pairs with the release of whoever made it.
    return instance.load(std::memory_order_acquire);
  }

  /// The process's engine, made if need be. nullptr if that is impossible, which stderr has been
  /// told.
  static Engine* obtain() noexcept;

  runtime::port::Workers& workers() noexcept { return workers_; }
  const LibcThread& libc() const noexcept { return libc_; }
  const ThreadBlocks& blocks() const noexcept { return blocks_; }
  LargeStacks& large_stacks() noexcept { return large_stacks_; }
  std::size_t stack_size() const noexcept { return stack_size_; }

  /// Takes a block that is ready for a new thread; nullptr without memory.
  ThreadRecord* take_block() noexcept;
  void give_block(ThreadRecord& record) noexcept;

  /// Counts a thread that is about to begin; the process does not end before it.
  void note_begin() noexcept;

  /// Takes note_begin() back: the thread has not begun.
  void take_back_begin() noexcept;

  /// Counts the calling lightweight thread as one that has done all its work. Ends the process if
  /// it was the last one and the main thread has left.
  void note_end() noexcept;

  /// Takes note that the main thread has called pthread_exit() and done all its work.
  void note_main_left() noexcept;

 private:
  /// What one worker counts and keeps for itself.
  struct alignas(64) Share {
    explicit Share(BlockDepot& depot) : blocks(depot, kBatch) {}

    BlockCache blocks;
    runtime::port::OwnCounter begun;
    runtime::port::OwnCounter ended;
  };

  static constexpr std::size_t kBatch = 32;

  /// The calling worker's, nullptr on other OS threads.
  Share* share() noexcept;

  bool none_lives() const noexcept;

  static std::atomic<Engine*> instance;

  const std::size_t stack_size_;
  LibcThread libc_;
  ThreadBlocks blocks_{libc_};
  BlockDepot depot_{blocks_};
  LargeStacks large_stacks_;
  std::vector<std::unique_ptr<Share>> shares_;
  std::atomic<std::uint64_t> begun_outside_{0};  ///< by OS threads
  std::atomic<bool> main_left_{false};
  std::atomic<bool> ending_{false};
  runtime::port::Workers workers_;
};

}  // namespace kumiko::pthread
