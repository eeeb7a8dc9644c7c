// Switches from one stack to another: declares what the assembly files define.
#pragma once

#if !(defined(__x86_64__) || defined(__aarch64__)) || !defined(__linux__)
#error "kumiko::runtime knows x86-64 and aarch64 Linux only; add a context_<arch>.S"
#endif

namespace kumiko::runtime::detail {

/// Something to do on the other side of a switch, when the side that was left is off its stack;
/// After{} is nothing. Trivial, for it travels through assembly in two registers.
struct After {
  void (*function)(void*);
  void* argument;

  void operator()() const noexcept {
    if (function != nullptr) function(argument);
  }
};

extern "C" {

/// Saves the callee-saved registers on the running stack and its stack pointer in `*from`, and
/// continues the context whose stack pointer is `target`; `function` and `argument` become that
/// side's After. Returns when someone continues `*from`, with the After given there.
/// Cost: about 30 instructions; one indirect jump (the return), which the caches predict poorly
/// where the two sides alternate irregularly.
After kumiko_context_switch(void** from, void* target, void (*function)(void*), void* argument);

/// Saves the running context as kumiko_context_switch does, and calls `entry(argument)` on the
/// stack that ends at `top` (a multiple of 16). When entry returns, the context whose stack pointer
/// it returns is continued, with After{}; nothing on the new stack is touched after that. Calls and
/// returns are balanced if that leads back to `*from`, so that the processor's return stack
/// predicts all of them.
After kumiko_context_start(void** from, void* top, void* (*entry)(void*), void* argument);
}

}  // namespace kumiko::runtime::detail
