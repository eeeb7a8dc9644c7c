// Which thread a worker runs, and the bookkeeping of a switch from one to another.
#pragma once

#include <kumiko/runtime/detail/current.hpp>

#include "core/observer.hpp"
#include "record/descriptor.hpp"
#include "stack/fiber.hpp"
#include "stack/thread_pointer.hpp"

namespace kumiko::runtime::detail {

/// What one OS thread keeps apart for the lightweight threads that take turns on it: exceptions in
/// flight, errno, the thread pointer. All functions are for the code that runs on this worker.
///
/// Who runs: either the loop, on the OS thread's own stack (current() is nullptr), or a lightweight
/// thread, current().
class Switcher : public WorkerFront {
 public:
  Descriptor* current() const noexcept { return static_cast<Descriptor*>(running); }
  Fiber& loop() noexcept { return loop_; }

  /// The bookkeeping of a switch from current() to `next` (nullptr: the loop).
  void become(Descriptor* next) noexcept {
    Descriptor* const self = current();
    if (self != nullptr) {
      self->exception_state = *exception_state_;
      self->saved_errno = *errno_;
    }
    begin_running(self, next);
  }

  /// The bookkeeping of a switch to `next` where that begins, by a spawn: without exceptions, and
  /// with the errno of its creator.
  void become_new(Descriptor& next) noexcept {
    Descriptor& self = *current();
    self.exception_state = *exception_state_;
    self.saved_errno = *errno_;
    if (self.exception_state != ExceptionState{}) [[unlikely]]
      *exception_state_ = {};
    if (observer_ != nullptr) [[unlikely]]
      observer_->switched(&self, &next, false);
    running = &next;
    switch_thread_pointer(&next);
  }

  /// The second half of become(), where `previous`, which is current(), has ended.
  void begin_running(const Descriptor* previous, Descriptor* next,
                     bool previous_ended = false) noexcept {
    if (observer_ != nullptr) [[unlikely]]
      observer_->switched(previous, next, previous_ended);
    running = next;
    switch_thread_pointer(next);
    if (next == nullptr) {
      group_before_loop_ = previous->aggregation;
      return;
    }
    *exception_state_ = next->exception_state;
    *errno_ = next->saved_errno;
  }

  /// The group of the thread that was left for the loop; nullptr if it had none, or before the
  /// first one. It may have ended: see Aggregations.
  const Aggregation* group_before_loop() const noexcept { return group_before_loop_; }

  /// current() goes on with the OS thread's own thread-local storage, so that its block may be
  /// another thread's before it has ended.
  void leave_thread_pointer() noexcept {
    if constexpr (kThreadPointers) {
      current()->thread_pointer = nullptr;
      switch_thread_pointer(nullptr);
    }
  }

  /// Names who is told what this worker does, or nullptr. Only while the worker sleeps or is yet to
  /// start, or by itself.
  void set_observer(Observer* observer) noexcept { observer_ = observer; }
  Observer* observer() const noexcept { return observer_; }

 protected:
  ~Switcher() = default;

  /// The calling OS thread is the worker from now on, or no longer.
  void take_os_thread() noexcept;
  void leave_os_thread() noexcept { kumiko_worker_front = nullptr; }

 private:
  /// Switches to the thread pointer of `next`, or to the OS thread's if `next` has none. Does
  /// nothing in builds without thread pointers.
  void switch_thread_pointer(const Descriptor* next) noexcept {
    if constexpr (kThreadPointers) {
      const bool has_own = next != nullptr && next->thread_pointer != nullptr;
      activate_thread_pointer(has_own ? next->thread_pointer : os_thread_pointer_, this);
    }
  }

  Observer* observer_ = nullptr;
  ExceptionState* exception_state_ = nullptr;  ///< the OS thread's
  int* errno_ = nullptr;                       ///< the OS thread's
  void* os_thread_pointer_ = nullptr;
  const Aggregation* group_before_loop_ = nullptr;
  Fiber loop_;
};

/// What a thread's stack begins with, see start_fiber; `descriptor` is a Descriptor*.
KUMIKO_SWITCHES_STACKS void* thread_main(void* descriptor);

}  // namespace kumiko::runtime::detail
