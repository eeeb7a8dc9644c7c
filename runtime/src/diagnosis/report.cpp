#include "diagnosis/report.hpp"

#include <array>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include <execinfo.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kumiko/runtime/detail/spawn.hpp>

#include "record/descriptor.hpp"
#include "record/stack_pool.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

namespace {

constexpr std::size_t kSignalStackSize = std::size_t{64} * 1024;
constexpr int kBacktraceDepth = 24;
constexpr std::ptrdiff_t kRoomForBacktrace = std::ptrdiff_t{12} * 1024;

/// A line of a report. It is not a std::string since signal handlers use it, too.
using Line = std::array<char, 512>;

void describe(const Descriptor& thread, Line& line) {
  const SourceLocation& where = thread.where;
  std::snprintf(line.data(), line.size(), "thread %s%s%s0x%" PRIxPTR ", created at %s:%u",
                thread.name[0] != '\0' ? "\"" : "", thread.name.data(),
                thread.name[0] != '\0' ? "\" " : "", thread.id(), where.file_name(),
                static_cast<unsigned>(where.line()));
}

void print(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void print(const Line& line) noexcept { print(std::string_view(line.data())); }

void print_backtrace() noexcept {
  std::array<void*, kBacktraceDepth> frames;
  const int count = backtrace(frames.data(), kBacktraceDepth);
  backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
}

[[noreturn]] void report_overflow(const Descriptor& thread, const char* how) noexcept {
  Line who;
  describe(thread, who);
  Line line;
  std::snprintf(line.data(), line.size(), "\nkumiko: stack overflow (%s)\n  %.380s\n", how,
                who.data());
  print(line);
  std::snprintf(line.data(), line.size(),
                "  stack size %zu bytes, high-water mark %zu bytes: all of it; if the recursion is "
                "meant to be that deep, raise Options::stack_size\n",
                thread.stack_size, thread.stack_size);
  print(line);
  print_backtrace();
  std::abort();
}

struct sigaction previous_action;

/// Whether `address` lies in the guard below the stack of `thread`.
bool hits_guard(const Descriptor& thread, const void* address) noexcept {
  const auto guard_end = reinterpret_cast<std::uintptr_t>(&thread) - thread.stack_size;
  const auto fault = reinterpret_cast<std::uintptr_t>(address);
  return fault < guard_end && fault >= guard_end - tunables::kGuardSize;
}

void handle_fault(int signal, siginfo_t* info, void* context) {
  const auto* const thread = static_cast<const Descriptor*>(running_thread());
  if (thread != nullptr && hits_guard(*thread, info->si_addr))
    report_overflow(*thread, "guard page hit");
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(signal, info, context);
  } else if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
    previous_action.sa_handler(signal);
  } else {
    // Returning repeats the access, with the system's own consequences.
    sigaction(signal, &previous_action, nullptr);
  }
}

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
  Line line;
  describe(thread, line);
  return line.data();
}

void report_blocked_threads(StackSource& stacks, Fiber& here, const std::string& headline) {
  constexpr std::size_t kMostThreads = 20;
  print(headline);
  std::size_t count = 0;
  stacks.for_each([&](Descriptor& thread) {
    // acquire: pairs with the release where a thread is made.
    if (!thread.alive.load(std::memory_order_acquire)) return;
    if (++count > kMostThreads) return;
    Line who;
    describe(thread, who);
    Line line;
    if (thread.fiber.stack_pointer == nullptr) {
      std::snprintf(line.data(), line.size(), "  %.400s\n    has not begun yet\n", who.data());
      print(line);
      return;
    }
    std::snprintf(line.data(), line.size(), "  %.400s\n    waits for %s", who.data(),
                  thread.wait_reason.kind != nullptr ? thread.wait_reason.kind : "nothing known");
    print(line);
    if (thread.wait_reason.object != nullptr) {
      std::snprintf(line.data(), line.size(), " (%p)", thread.wait_reason.object);
      print(line);
    }
    print(" at:\n");
    print_backtrace_of(thread, here);
  });
  if (count > kMostThreads) {
    Line line;
    std::snprintf(line.data(), line.size(), "  and %zu more\n", count - kMostThreads);
    print(line);
  }
  print(
      "  Places in brackets: addr2line -Cfipe PROGRAM +0x...; link with -rdynamic to see names.\n");
}

void report_stack_overflows() {
  if (sanitizer::kActive) return;
  static std::once_flag installed;
  std::call_once(installed, [] {
    // The first call loads a library, which a signal handler must not.
    void* frame = nullptr;
    backtrace(&frame, 1);
    struct sigaction action {};
    action.sa_sigaction = &handle_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previous_action);
  });
}

void terminate(const std::string& why, const std::exception_ptr& exception) noexcept {
  print("kumiko: " + why + '\n');
  if (exception != nullptr) std::rethrow_exception(exception);
  std::terminate();
}

void report_broken_canary(const Descriptor& thread) noexcept {
  report_overflow(thread, "its canary was overwritten");
}

SignalStack::SignalStack()
    : memory_(mmap(nullptr, kSignalStackSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                   -1, 0)) {
  if (memory_ == MAP_FAILED) return;  // then an overflow dies unreported
  stack_t stack{};
  stack.ss_sp = memory_;
  stack.ss_size = kSignalStackSize;
  sigaltstack(&stack, nullptr);
}

SignalStack::~SignalStack() {
  if (memory_ == MAP_FAILED) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(memory_, kSignalStackSize);
}

}  // namespace kumiko::runtime::detail
