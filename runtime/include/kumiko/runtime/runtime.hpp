// The Runtime starts the workers, runs threads on them and ends them. Every program of the library
// begins with one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>

#include <kumiko/runtime/detail/spawn.hpp>
#include <kumiko/runtime/message_source.hpp>
#include <kumiko/runtime/options.hpp>
#include <kumiko/runtime/source_location.hpp>
#include <kumiko/runtime/statistics.hpp>

namespace kumiko::runtime {

namespace detail {
class Scheduler;
class Tracer;
}  // namespace detail

/// A pool of workers (OS threads of its own) that run lightweight threads.
///
/// Lightweight threads are scheduled cooperatively: a worker changes threads only where a thread
/// spawns, waits, yields or ends. After each of these a thread may continue on another worker, so
/// it must not rely on state of the OS thread (thread_local variables, errno) across them. The
/// floating-point control words do belong to the lightweight thread, which inherits those of its
/// creator.
///
/// Several runtimes may live in one process, and any OS thread may submit work to each.
class Runtime {
 public:
  /// Starts the workers.
  /// \throws std::invalid_argument for a worker count that is negative or above 4096, for stacks
  /// below 16 KiB or above 64 TiB, or an unknown engine in the environment, std::system_error if an
  /// OS thread cannot be created, or if io_uring is requested by name and the system refuses it.
  explicit Runtime(Options options = {});

  /// Waits until every lightweight thread has ended, detached ones included, then stops the
  /// workers. No run() may be in progress, and the caller must not be one of the workers.
  ///
  /// If all remaining threads wait and no deadline is pending, nothing in this runtime can wake
  /// them. After a second they are listed on stderr and abandoned without unwinding. Threads that
  /// wait for I/O or for a time are waited for, however long it takes. In a child process made by
  /// fork() the destructor does nothing, because the workers exist only in the parent.
  ~Runtime();

  /// Runs `function` as a lightweight thread and blocks the calling OS thread until it has ended;
  /// an exception that escapes it is rethrown here. May be called from many OS threads at once.
  /// \throws std::logic_error if the caller is a lightweight thread, which must spawn a thread
  /// instead.
  /// \throws std::system_error if no stack can be mapped.
  template <class Function>
  void run(Function&& function, SourceLocation where = SourceLocation::current()) {
    auto call = [&function] { std::invoke(std::forward<Function>(function)); };
    run_root([](void* callable) { (*static_cast<decltype(call)*>(callable))(); }, &call, where);
  }

  /// Starts a detached lightweight thread that runs a decayed copy of `function`. It is ready when
  /// this returns, and runs before other ready threads. For any OS thread, lightweight threads of
  /// any Runtime, and MessageSource::poll(). An exception that escapes `function` ends the program.
  /// Does not suspend.
  /// \throws std::length_error if the closure does not fit on a stack, std::system_error if no
  /// stack can be mapped.
  template <class Function>
  void submit(Function&& function, SourceLocation where = SourceLocation::current()) {
    detail::submit(*scheduler_, std::forward<Function>(function), where);
  }

  /// Lets the workers poll a source of events, from now until the Runtime ends. A Runtime may have
  /// three sources. \throws std::system_error if the system refuses, or if there are too many.
  void attach(std::shared_ptr<MessageSource> source);

  /// Called by a source that has something to send. If the caller is one of this Runtime's
  /// lightweight threads, its worker polls when it next changes threads; if the thread computes for
  /// long, another OS thread polls later. Returns false for other callers; then the source must
  /// wake a worker through its descriptor. Cost: some loads.
  bool poll_soon() noexcept;

  /// For MessageSource::has_news(); returns false if called elsewhere. Returns true if this Runtime
  /// has threads and all of them wait, with no deadline pending and no I/O in progress, so that
  /// only that source, or an OS thread that is not a worker, can wake them. Cost: a lock, and some
  /// loads per worker.
  bool waits_for_source() const noexcept;

  /// Returns the value of waits_for_source(). If it is true, prints `headline`, which is a line, to
  /// stderr, and then what each thread waits for and where.
  bool report_waits_for_source(const std::string& headline) noexcept;

  /// Options::deadlock_report_after, for sources that look for deadlocks.
  std::chrono::milliseconds deadlock_report_after() const noexcept;

  /// The number of workers.
  int workers() const noexcept;

  /// The engine that does I/O: for kAuto, the engine that was chosen; otherwise the requested one.
  IoEngine io_engine() const noexcept;

  /// The counters so far. Cheap for the workers, because each only writes its own counters.
  Statistics statistics() const;

  /// How many threads worker `worker`, which must exist, has stolen from others so far. Cost: one
  /// load.
  std::uint64_t steals(int worker) const noexcept;

  /// How many threads are ready on worker `worker`, which must exist, and wait their turn. While
  /// the worker is busy the number may be a little old. Cost: four loads.
  std::size_t ready(int worker) const noexcept;

  /// How many I/O operations threads wait for. Cost: two loads per worker.
  std::size_t io_in_flight() const noexcept;

  /// The largest stack use of any thread so far, in bytes, counted in whole pages.
  /// Options::stack_size should exceed it with a margin. Cost: a system call per stack.
  std::size_t deepest_stack() const;

  /// Begins to record what every worker does: when it runs which thread, steals and sleeps. Each
  /// worker keeps its latest `records` records. Cost: about 20 ns and 60 bytes per switch. The
  /// record of a Group that ends meanwhile is reused only after stop_trace().
  ///
  /// start_trace() and stop_trace() wait until all workers sleep, so call them when no run() is in
  /// progress. A trace that is already being recorded is discarded. \throws std::logic_error with
  /// an idle policy that does not sleep, in a lightweight thread, or after fork(); std::bad_alloc.
  void start_trace(std::size_t records = 65536);

  /// Ends the recording and writes it as Chrome trace-event JSON, which Perfetto and
  /// chrome://tracing open. Threads have the name given by this_thread::set_name(), or the place of
  /// their creation. args.group is the name of the Group of each turn's thread, if it has one; for
  /// a group without a name it is "#" and a number. otherData.lost_records is the number of records
  /// that did not fit.
  /// \throws std::logic_error as start_trace() does, or if no trace is being recorded.
  void stop_trace(std::ostream& out);

 private:
  friend class Group;

  void check_that_workers_can_sleep() const;
  void run_root(void (*call)(void*), void* callable, SourceLocation where);

  std::unique_ptr<detail::Tracer> tracer_;  ///< the workers write to it
  std::unique_ptr<detail::Scheduler> scheduler_;
  int process_;  ///< the process that the workers belong to
};

}  // namespace kumiko::runtime
