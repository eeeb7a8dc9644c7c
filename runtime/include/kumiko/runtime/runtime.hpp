#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include <kumiko/runtime/statistics.hpp>

namespace kumiko::runtime {

namespace detail {
class Scheduler;
}

/// 128 KiB; 512 KiB where a sanitizer makes frames larger.
std::size_t default_stack_size() noexcept;

/// What a Runtime may use.
struct Options {
  /// Number of workers; 0 asks for available_cores(). More workers than cores is allowed.
  int workers = 0;
  /// Bytes that a lightweight thread may use, rounded up to pages. A guard page lies below.
  std::size_t stack_size = default_stack_size();
};

/// A pool of workers (OS threads of its own) that run lightweight threads.
///
/// Lightweight threads are scheduled cooperatively: a worker changes threads only where one spawns,
/// waits, yields or ends. A thread may go on on another worker after each of these, so nothing that
/// belongs to the OS thread (thread_local variables, errno) may be carried across them. The
/// floating-point control words do belong to the lightweight thread, which inherits its creator's.
///
/// Several runtimes may live in one process, and any OS thread may submit work to each.
class Runtime {
 public:
  /// Starts the workers.
  /// \throws std::invalid_argument for a negative worker count or a stack below 16 KiB,
  /// std::system_error if an OS thread cannot be created.
  explicit Runtime(Options options = {});

  /// Waits until every lightweight thread has ended, detached ones included, then stops the
  /// workers. No run() may be in progress, and the caller must not be one of the workers.
  ~Runtime();

  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Runs `function` as a lightweight thread and blocks the calling OS thread until it has ended;
  /// an exception that escapes it is rethrown here. May be called from many OS threads at once.
  /// \throws std::logic_error if the caller is a lightweight thread: it should spawn instead.
  /// \throws std::system_error if no stack can be mapped.
  template <class Function>
  void run(Function&& function) {
    auto call = [&function] { std::invoke(std::forward<Function>(function)); };
    run_root([](void* callable) { (*static_cast<decltype(call)*>(callable))(); }, &call);
  }

  /// The number of workers.
  int workers() const noexcept;

  /// The counters so far. Cheap for the workers: they only ever write their own.
  Statistics statistics() const;

 private:
  void run_root(void (*call)(void*), void* callable);

  std::unique_ptr<detail::Scheduler> scheduler_;
};

}  // namespace kumiko::runtime
