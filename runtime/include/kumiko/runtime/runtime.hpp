// Starts the workers, runs threads on them and ends them: where every program of the library
// begins.
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
/// Lightweight threads are scheduled cooperatively: a worker changes threads only where one spawns,
/// waits, yields or ends. A thread may go on on another worker after each of these, so nothing that
/// belongs to the OS thread (thread_local variables, errno) may be carried across them. The
/// floating-point control words do belong to the lightweight thread, which inherits its creator's.
///
/// Several runtimes may live in one process, and any OS thread may submit work to each.
class Runtime {
 public:
  /// Starts the workers.
  /// \throws std::invalid_argument for a worker count that is negative or above 4096, for stacks
  /// below 16 KiB or above 64 TiB, or an unknown engine in the environment,
  /// std::system_error if an OS thread cannot be created, or io_uring is asked for by name and the
  /// system refuses it.
  explicit Runtime(Options options = {});

  /// Waits until every lightweight thread has ended, detached ones included, then stops the
  /// workers. No run() may be in progress, and the caller must not be one of the workers.
  ///
  /// If all threads that are left wait, and no deadline is pending, then nothing in this runtime
  /// can wake them: after a second they are named on stderr and abandoned, without unwinding; those
  /// that wait for I/O or for time to pass are waited for however long it takes. In a
  /// child process made by fork() it does nothing: the workers have stayed with the parent.
  ~Runtime();

  /// Runs `function` as a lightweight thread and blocks the calling OS thread until it has ended;
  /// an exception that escapes it is rethrown here. May be called from many OS threads at once.
  /// \throws std::logic_error if the caller is a lightweight thread: it should spawn instead.
  /// \throws std::system_error if no stack can be mapped.
  template <class Function>
  void run(Function&& function, SourceLocation where = SourceLocation::current()) {
    auto call = [&function] { std::invoke(std::forward<Function>(function)); };
    run_root([](void* callable) { (*static_cast<decltype(call)*>(callable))(); }, &call, where);
  }

  /// Starts a lightweight thread that runs a decayed copy of `function`, and that nobody joins; it
  /// is ready when this returns, and takes its turn before others. For any OS thread, lightweight
  /// threads of any Runtime, and MessageSource::poll(). An exception that escapes `function` ends
  /// the program. Does not suspend.
  /// \throws std::length_error if the closure does not fit on a stack, std::system_error if no
  /// stack can be mapped.
  template <class Function>
  void submit(Function&& function, SourceLocation where = SourceLocation::current()) {
    detail::submit(*scheduler_, std::forward<Function>(function), where);
  }

  /// Lets the workers look after a source of events, from now until the Runtime ends. There may be
  /// three. \throws std::system_error if the system refuses, or there are too many.
  void attach(std::shared_ptr<MessageSource> source);

  /// Tells that a source has something to send. If the caller is one of this Runtime's lightweight
  /// threads, its worker polls when it next changes threads, and another OS thread does later if it
  /// computes on; returns false otherwise, and then the source's descriptor is to wake somebody.
  /// Cost: some loads.
  bool poll_soon() noexcept;

  /// For MessageSource::has_news(), elsewhere false: whether this Runtime has threads, all of which
  /// wait, with no deadline pending and nobody in I/O, so that nothing but that source, or an OS
  /// thread that is not a worker, can wake them. Cost: a lock, and some loads per worker.
  bool waits_for_source() const noexcept;

  /// As waits_for_source(); if it is so, stderr is told after `headline`, a line, what each thread
  /// waits for and where.
  bool report_waits_for_source(const std::string& headline) noexcept;

  /// Options::deadlock_report_after, for sources that look for deadlocks.
  std::chrono::milliseconds deadlock_report_after() const noexcept;

  /// The number of workers.
  int workers() const noexcept;

  /// The engine that does I/O: what kAuto means here, others as they were asked for.
  IoEngine io_engine() const noexcept;

  /// The counters so far. Cheap for the workers: they only ever write their own.
  Statistics statistics() const;

  /// How many threads worker `worker`, which must exist, has stolen from others so far. Cost: one
  /// load.
  std::uint64_t steals(int worker) const noexcept;

  /// How many threads are ready on worker `worker`, which must exist, and wait their turn. While
  /// the worker is busy the number may be a little old. Cost: four loads.
  std::size_t ready(int worker) const noexcept;

  /// How many I/O operations threads wait for. Cost: two loads per worker.
  std::size_t io_in_flight() const noexcept;

  /// How deep stacks have been used so far: the most bytes that one thread has touched of its
  /// stack, in pages. What Options::stack_size should exceed with a margin. Cost: a system call per
  /// stack.
  std::size_t deepest_stack() const;

  /// Begins to record what every worker does: which thread it runs when, steals, sleep. Each keeps
  /// its latest `records` records. Cost: some 20 ns and 60 bytes per switch; the record of a Group
  /// that ends meanwhile is used again only after stop_trace().
  ///
  /// This and stop_trace() wait until all workers sleep: call them when no run() is in progress. A
  /// trace that is being recorded is forgotten. \throws std::logic_error with an idle policy that
  /// does not sleep, in a lightweight thread, or after fork(); std::bad_alloc.
  void start_trace(std::size_t records = 65536);

  /// Ends the recording and writes it as Chrome trace-event JSON, which Perfetto and
  /// chrome://tracing open. Threads are named as this_thread::set_name() says, or by the place of
  /// their creation; args.group names the Group of each turn's thread, if it has one, by "#" and a
  /// number where the group has no name; otherData.lost_records says how many records had no room.
  /// \throws std::logic_error as start_trace() does, or if no trace is being recorded.
  void stop_trace(std::ostream& out);

 private:
  friend class Group;

  void check_that_workers_can_sleep() const;
  void run_root(void (*call)(void*), void* callable, SourceLocation where);

  std::unique_ptr<detail::Tracer> tracer_;  ///< the workers write to it
  std::unique_ptr<detail::Scheduler> scheduler_;
  int process_;  ///< the one that the workers belong to
};

}  // namespace kumiko::runtime
