#include "diagnosis/report.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

#include "diagnosis/safe_text.hpp"
#include "record/descriptor.hpp"
#include "record/stack_pool.hpp"

namespace kumiko::runtime::detail {

namespace {

constexpr std::ptrdiff_t kRoomForBacktrace = std::ptrdiff_t{12} * 1024;

/// Runs a function on the stack of a suspended thread, on top of its frames, and leaves the thread
/// suspended.
struct Peek {
  Descriptor& thread;
  Fiber& here;

  static void on_their_stack(void* argument) {
    auto& self = *static_cast<Peek*>(argument);
    Descriptor& thread = self.thread;
    print_backtrace();
    // What goes on after this is the thread itself, resumed by somebody else with an After of his.
    switch_fiber(thread.fiber, self.here, {})();
  }
};

void print_backtrace_of(Descriptor& thread, Fiber& here) {
  const auto left = static_cast<std::byte*>(thread.fiber.stack_pointer) - thread.stack_bottom();
  if (left < kRoomForBacktrace) {
    print("    (no backtrace: its stack is almost full)\n");
    return;
  }
  Peek peek{thread, here};
  switch_fiber(here, thread.fiber, {&Peek::on_their_stack, &peek})();
}

}  // namespace

std::string describe(const Descriptor& thread) {
  return std::string(SafeText().add(thread).view());
}

void report_blocked_threads(StackSource& stacks, Fiber& here, const std::string& headline) {
  constexpr std::size_t kMostThreads = 20;
  print(headline);
  std::size_t count = 0;
  stacks.for_each([&](Descriptor& thread) {
    // acquire: pairs with the release where a thread is made.
    if (!thread.alive.load(std::memory_order_acquire)) return;
    if (++count > kMostThreads) return;
    print(SafeText().add("  ").add(thread).add("\n").view());
    if (thread.fiber.stack_pointer == nullptr) {
      print("    has not begun yet\n");
      return;
    }
    const char* const kind = thread.wait_reason.kind;
    print(SafeText().add("    waits for ").add(kind != nullptr ? kind : "nothing known").view());
    if (const void* const object = thread.wait_reason.object; object != nullptr) {
      const auto address = reinterpret_cast<std::uintptr_t>(object);
      print(SafeText().add(" (").add_address(address).add(")").view());
    }
    print(" at:\n");
    print_backtrace_of(thread, here);
  });
  if (count > kMostThreads) {
    print(SafeText().add("  and ").add_number(count - kMostThreads).add(" more\n").view());
  }
  print(
      "  To find the source line of an address (+0x...): addr2line -Cfipe PROGRAM 0x...; to see "
      "function names here, link with -rdynamic.\n");
}

void terminate(const std::string& why, const std::exception_ptr& exception) noexcept {
  print("kumiko: " + why + '\n');
  if (exception != nullptr) std::rethrow_exception(exception);
  std::terminate();
}

}  // namespace kumiko::runtime::detail
