// What brings events to a Runtime that the runtime itself knows nothing of, e.g. messages of other
// processes.
#pragma once

namespace kumiko::runtime {

/// A source of events that a program attaches to a Runtime (Runtime::attach()). One OS thread at a
/// time polls it, always on a stack of the operating system's, never on a lightweight thread's: a
/// worker between two threads; a worker that has nothing to run, in each round of its search; or,
/// where all workers compute for long, an OS thread of the Runtime. Whoever polls completes what
/// threads wait for (Token::send() and the like), and starts threads by Runtime::submit().
///
/// The functions are called by any OS thread, those but poll() and has_news() at any time. None may
/// throw, suspend or wait for another thread.
class MessageSource {
 public:
  virtual ~MessageSource() = default;

  /// Takes what has come, and sends what is left to send. `idle`: the worker has nothing else to
  /// do, so that nothing is gained by waiting for more to send. Returns how many events there were.
  virtual int poll(bool idle) noexcept = 0;

  /// Asked by a worker before each time that it sleeps by pollable(): it gets up if poll() would
  /// find something or something is to be sent. What is to make pollable() readable at some time
  /// is set here. Completes and starts nothing. Here a source may ask whether all threads wait for
  /// it (Runtime::waits_for_source()). By default: whether pollable() is readable or
  /// something is unsent.
  virtual bool has_news() noexcept;

  /// Whether something is left to send that poll() would look at.
  virtual bool has_unsent() const noexcept = 0;

  /// A descriptor that poll(2) finds readable when poll() has something to do: by it a sleeping
  /// worker is woken. The same from attach() on.
  virtual int pollable() const noexcept = 0;

  /// Whether events may still come. A Runtime looks after a source as long as it is open, and says
  /// of no thread meanwhile that nothing can wake it. A source that opens after attach() must start
  /// a thread then (Runtime::submit([] {}) does), as sleeping workers do not watch a closed one.
  virtual bool is_open() const noexcept = 0;
};

}  // namespace kumiko::runtime
