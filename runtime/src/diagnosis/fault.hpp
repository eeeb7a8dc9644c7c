// Tells people on stderr by which fault, or overflow of a stack, the process ends.
#pragma once

namespace kumiko::runtime::detail {

struct Descriptor;

/// Makes the process report an overflow of a lightweight thread's stack, and abort, instead of
/// dying silently; other faults go where they went before, unless report_faults() is called. Done
/// once; not under a sanitizer, which does so itself.
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

/// Reports that the canary of `thread` has been overwritten, and aborts.
[[noreturn]] void report_broken_canary(const Descriptor& thread) noexcept;

}  // namespace kumiko::runtime::detail
