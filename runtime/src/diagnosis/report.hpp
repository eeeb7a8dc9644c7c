// Tells people on stderr which threads are stuck, and which has overflowed its stack.
#pragma once

#include <exception>
#include <string>

namespace kumiko::runtime::detail {

struct Descriptor;
class StackSource;
struct Fiber;

/// `thread "name" 0x..., created at file:line in function`, for people.
std::string describe(const Descriptor& thread);

/// Writes to stderr which threads of `stacks` wait for what, and where they do, after `headline`.
/// For when none of them runs; `here` is the fiber of the caller, which is not one of them.
void report_blocked_threads(StackSource& stacks, Fiber& here, const std::string& headline);

/// Makes the process report an overflow of a lightweight thread's stack, and abort, instead of
/// dying silently; other faults go where they went before. Done once; not under a sanitizer, which
/// does so itself.
void report_stack_overflows();

/// Gives the calling OS thread a stack of its own for signal handlers, without which an overflow
/// cannot be handled. Until its destruction, on the same OS thread.
class SignalStack {
 public:
  SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;
  ~SignalStack();

 private:
  void* memory_;
};

/// Says why the process ends, and lets std::terminate tell of `exception`, if it is one.
[[noreturn]] void terminate(const std::string& why, const std::exception_ptr& exception) noexcept;

/// Reports that the canary of `thread` has been overwritten, and aborts.
[[noreturn]] void report_broken_canary(const Descriptor& thread) noexcept;

}  // namespace kumiko::runtime::detail
