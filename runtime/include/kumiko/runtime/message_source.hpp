// Interface of event sources outside the runtime, such as messages of other processes.
#pragma once

namespace kumiko::runtime {

/// A source of events that a program attaches to a Runtime (Runtime::attach()). One OS thread at a
/// time polls it, always on an OS thread's stack and never on that of a lightweight thread. The
/// polling thread is a worker between two threads, a worker that has nothing to run, in each round
/// of its search, or, if all workers compute for long, an OS thread of the Runtime. poll()
/// completes what threads wait for (Token::send() and the like) and starts threads with
/// Runtime::submit().
///
/// The functions may be called by any OS thread, and all except poll() and has_news() at any time.
/// None may throw, suspend or wait for another thread.
class MessageSource {
 public:
  virtual ~MessageSource() = default;

  /// Handles the events that have arrived, and sends what is left to send. `idle`: the worker has
  /// nothing else to do, so waiting for more to send has no advantage. Returns the number of
  /// events.
  virtual int poll(bool idle) noexcept = 0;

  /// Called by a worker each time before it sleeps until pollable() is readable. Returns true if
  /// poll() would find an event or something is to be sent; then the worker does not sleep. A
  /// source that needs a timer to make pollable() readable sets it here. Must not complete or start
  /// anything. A source may ask here whether all threads wait for it (Runtime::waits_for_source()).
  /// The default returns whether pollable() is readable or something is unsent.
  virtual bool has_news() noexcept;

  /// Whether something is left to send that poll() would try to send.
  virtual bool has_unsent() const noexcept = 0;

  /// A descriptor that is readable when poll() has something to do; it wakes a sleeping worker. It
  /// must not change after attach().
  virtual int pollable() const noexcept = 0;

  /// Whether events may still arrive. While a source is open, the Runtime polls it and reports no
  /// deadlock. If a source opens after attach(), it must start a thread at that time, for example
  /// by Runtime::submit([] {}), because sleeping workers do not watch a closed source.
  virtual bool is_open() const noexcept = 0;
};

}  // namespace kumiko::runtime
