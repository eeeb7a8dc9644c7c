#include "diagnosis/fault.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <execinfo.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <kumiko/runtime/detail/spawn.hpp>
#include <kumiko/runtime/fault.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "diagnosis/report.hpp"
#include "diagnosis/safe_text.hpp"
#include "record/descriptor.hpp"
#include "stack/sanitizer.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

namespace {

/// Calls take(line) for each note of the calling OS thread; also from signal handlers.
template <class Take>
void for_each_note(Take take) noexcept {
  for (const FaultNote* note = FaultNote::innermost(); note != nullptr; note = note->outer()) {
    std::array<char, 300> room;
    take(std::string_view(room.data(), note->write(room)));
  }
}

constexpr std::size_t kSignalStackSize = std::size_t{64} * 1024;

struct NamedSignal {
  int number;
  const char* name;
  bool has_address;
};
constexpr std::array<NamedSignal, 5> kFaults{{{SIGSEGV, "SIGSEGV", true},
                                              {SIGBUS, "SIGBUS", true},
                                              {SIGFPE, "SIGFPE", true},
                                              {SIGILL, "SIGILL", true},
                                              {SIGABRT, "SIGABRT", false}}};

std::size_t place_of(int signal) noexcept {
  const auto* const found =
      std::find_if(kFaults.begin(), kFaults.end(),
                   [signal](const NamedSignal& fault) { return fault.number == signal; });
  return static_cast<std::size_t>(found - kFaults.begin());
}

/// What handlers read. Written before `reports` is set, or under a lock by who installs them.
struct Settings {
  std::array<struct sigaction, kFaults.size()> previous{};
  std::array<char, 64> prefix{};  ///< with a colon and a space behind it, if there is any
  std::array<char, 256> host{};
  /// What set_fault_advice() was given, in turn, and the one that counts.
  std::array<std::array<char, 2001>, 2> advice{};
  std::atomic<std::size_t> newest_advice{0};
  std::atomic<bool> waits_for_debugger{false};
  std::atomic<bool> reports{false};
};
constinit Settings settings;

/// The OS thread that reports a fault, 0 for none, and whether it has told what it is.
std::atomic<pid_t> reporter{0};
std::atomic<bool> has_told_of_overflow{false};

const Descriptor* running() noexcept { return static_cast<const Descriptor*>(running_thread()); }

void print_notes() noexcept {
  for_each_note(
      [](std::string_view line) { print(SafeText().add("  in ").add(line).add("\n").view()); });
}

[[noreturn]] void report_overflow(const Descriptor& thread, std::string_view how) noexcept {
  print(SafeText()
            .add("\nkumiko: ")
            .add(settings.prefix.data())
            .add("stack overflow (")
            .add(how)
            .add(")\n  ")
            .add(thread)
            .add("\n")
            .view());
  print(SafeText()
            .add("  stack size ")
            .add_number(thread.stack_size)
            .add(" bytes, high-water mark ")
            .add_number(thread.stack_size)
            .add(" bytes: all of it; keep large arrays on the heap and recursion shallow; a "
                 "program of its own runtime may raise Options::stack_size\n")
            .view());
  print_notes();
  print_backtrace();
  has_told_of_overflow.store(true, std::memory_order_relaxed);
  std::abort();
}

/// Whether `address` lies in the guard below the stack of `thread`.
bool hits_guard(const Descriptor& thread, const void* address) noexcept {
  const auto guard_end = reinterpret_cast<std::uintptr_t>(&thread) - thread.stack_size;
  const auto fault = reinterpret_cast<std::uintptr_t>(address);
  return fault < guard_end && fault >= guard_end - tunables::kGuardSize;
}

/// The stack pointer where a signal has come; 0: not known.
std::uintptr_t stack_pointer_of(const void* context) noexcept {
  [[maybe_unused]] const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(registers.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return registers.sp;
#else
  return 0;
#endif
}

/// Whether an access was where a function's frame begins: the stack has no room for it.
bool hits_own_frame(const siginfo_t& info, const void* context) noexcept {
  constexpr std::uintptr_t kBelow = std::uintptr_t{64} * 1024;  // a frame is touched page by page
  constexpr std::uintptr_t kAbove = 4096;
  const std::uintptr_t pointer = stack_pointer_of(context);
  const auto fault = reinterpret_cast<std::uintptr_t>(info.si_addr);
  return pointer > kBelow && fault >= pointer - kBelow && fault < pointer + kAbove;
}

void tell_what_and_where(const NamedSignal& fault, const siginfo_t& info,
                         const void* context) noexcept {
  SafeText line;
  line.add("\nkumiko: ").add(settings.prefix.data()).add(fault.name);
  // Positive: it comes from the processor, and not from somebody who sends signals.
  if (fault.has_address && info.si_code > 0) {
    line.add(" at address ").add_address(reinterpret_cast<std::uintptr_t>(info.si_addr));
    if (hits_own_frame(info, context)) line.add(" (stack overflow)");
  }
  const int worker = this_thread::worker_index();
  if (worker >= 0) {
    line.add(" on worker ").add_number(static_cast<std::uintmax_t>(worker));
  } else {
    line.add(" on an OS thread that is not a worker");
  }
  print(line.add("\n").view());
  if (const Descriptor* const thread = running(); thread != nullptr) {
    print(SafeText().add("  ").add(*thread).add("\n").view());
  }
  print_notes();
  print_backtrace();
}

void tell_how_to_attach() noexcept {
  const auto process = static_cast<std::uintmax_t>(getpid());
  SafeText line;
  line.add("  process ").add_number(process).add(" on host ").add(settings.host.data());
  line.add(settings.waits_for_debugger ? "; it waits for: gdb -p "
                                       : "; with KUMIKO_ON_FAULT=gdb it would wait for: gdb -p ");
  print(line.add_number(process).add("\n").view());
}

void report(const NamedSignal& fault, const siginfo_t& info, const void* context) noexcept {
  if (!has_told_of_overflow.load(std::memory_order_relaxed)) {
    tell_what_and_where(fault, info, context);
  }
  print(fault_advice());
  tell_how_to_attach();
  while (settings.waits_for_debugger) pause();
}

/// Another thread has a fault of its own, which ends the process once it has been told.
void leave_the_report_to_another() noexcept {
  timespec left{5, 0};
  while (settings.waits_for_debugger) pause();
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

bool ends_by_default(int signal) noexcept {
  const struct sigaction& previous = settings.previous[place_of(signal)];
  return (previous.sa_flags & SA_SIGINFO) == 0 &&
         (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN);
}

/// What would have happened without us.
void go_on_as_before(int signal, siginfo_t* info, void* context) {
  const struct sigaction& previous = settings.previous[place_of(signal)];
  if (ends_by_default(signal)) {
    // Returning repeats the access, with the system's own consequences; what somebody has sent is
    // sent again.
    sigaction(signal, &previous, nullptr);
    if (info->si_code <= 0) raise(signal);
  } else if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else {
    previous.sa_handler(signal);
  }
}

void handle_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const Descriptor* const thread = running();
  if (signal == SIGSEGV && thread != nullptr && hits_guard(*thread, info->si_addr)) {
    report_overflow(*thread, "guard page hit");
  }
  // acquire: pairs with the release in report_faults().
  if (settings.reports.load(std::memory_order_acquire)) {
    auto self = static_cast<pid_t>(syscall(SYS_gettid));
    pid_t who = 0;
    if (reporter.compare_exchange_strong(who, self)) {
      report(kFaults[place_of(signal)], *info, context);
    } else if (who != self) {
      leave_the_report_to_another();
    }
    // Whoever deals with it may leave this function by a jump.
    if (!ends_by_default(signal)) reporter.compare_exchange_strong(self, 0);
  }
  errno = error;
  go_on_as_before(signal, info, context);
}

/// Guards what is written while handlers are installed.
std::mutex& installing() {
  static std::mutex mutex;
  return mutex;
}

/// Installs the handler of each of the first `count` faults, once. Called with the lock.
void install(std::size_t count) {
  static std::array<bool, kFaults.size()> installed{};
  // The first call loads a library, which a signal handler must not.
  void* frame = nullptr;
  backtrace(&frame, 1);
  for (std::size_t place = 0; place < count; ++place) {
    if (std::exchange(installed[place], true)) continue;
    struct sigaction action {};
    action.sa_sigaction = &handle_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    // Known before the handler is there.
    sigaction(kFaults[place].number, nullptr, &settings.previous[place]);
    sigaction(kFaults[place].number, &action, nullptr);
  }
}

bool waits_for_debugger_by_environment() {
  const char* const text = std::getenv("KUMIKO_ON_FAULT");
  const std::string_view what = text == nullptr ? "" : text;
  if (what.empty() || what == "gdb") return !what.empty();
  throw std::invalid_argument("KUMIKO_ON_FAULT is '" + std::string(what) +
                              "'; give gdb, or unset it");
}

void copy_text(std::string_view text, char* begin, std::size_t room) noexcept {
  const std::size_t size = std::min(text.size(), room - 1);
  std::copy_n(text.data(), size, begin);
  begin[size] = '\0';
}

}  // namespace

void report_stack_overflows() {
  if (sanitizer::kActive) return;
  const std::lock_guard lock(installing());
  install(1);
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

namespace kumiko::runtime {

namespace {

/// For an OS thread that has none. Until the thread ends.
class OwnSignalStack {
 public:
  OwnSignalStack() {
    stack_t own{};
    if (sigaltstack(nullptr, &own) == 0 && (own.ss_flags & SS_DISABLE) != 0) stack_.emplace();
  }

 private:
  std::optional<detail::SignalStack> stack_;
};

/// Named in functions that are not inlined only: a compiler may keep a thread-local variable's
/// address across a switch, after which the caller may be on another OS thread.
thread_local constinit const FaultNote* last_begun = nullptr;

[[noreturn]] void end_by_disorder() noexcept {
  detail::terminate(
      "a FaultNote ends that is not the innermost of its OS thread; it must not suspend, and "
      "notes end last in, first out",
      nullptr);
}

}  // namespace

[[gnu::noinline]] const FaultNote* FaultNote::innermost() noexcept { return last_begun; }

[[gnu::noinline]] void FaultNote::begin() noexcept {
  // An overflow of an OS thread's stack is told of by a handler on another stack.
  if (detail::settings.reports.load(std::memory_order_relaxed)) {
    [[maybe_unused]] static thread_local const OwnSignalStack stack;
  }
  outer_ = last_begun;
  last_begun = this;
  // A handler on this OS thread finds the whole note before anything comes that it is about.
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

[[gnu::noinline]] FaultNote::~FaultNote() {
  if (outer_ == this) return;  // it has not begun
  if (last_begun != this) end_by_disorder();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  last_begun = outer_;
}

std::string fault_notes() {
  std::string lines;
  detail::for_each_note([&lines](std::string_view line) { lines.append(line).append("\n"); });
  return lines;
}

void set_fault_advice(std::string_view lines) noexcept {
  using detail::settings;
  // relaxed: by this thread alone.
  const std::size_t next = 1 - settings.newest_advice.load(std::memory_order_relaxed);
  detail::copy_text(lines, settings.advice[next].data(), settings.advice[next].size());
  // release: pairs with the acquire in report().
  settings.newest_advice.store(next, std::memory_order_release);
}

std::string_view fault_advice() noexcept {
  using detail::settings;
  // acquire: pairs with the release in set_fault_advice().
  return settings.advice[settings.newest_advice.load(std::memory_order_acquire)].data();
}

void report_faults(std::string_view prefix) {
  using detail::settings;
  const bool waits = detail::waits_for_debugger_by_environment();
  if (detail::sanitizer::kActive) return;
  const std::lock_guard lock(detail::installing());
  constexpr std::string_view kColon = ": ";
  detail::SafeText text;
  if (!prefix.empty()) {
    text.add(prefix.substr(0, settings.prefix.size() - kColon.size() - 1)).add(kColon);
  }
  detail::copy_text(text.view(), settings.prefix.data(), settings.prefix.size());
  gethostname(settings.host.data(), settings.host.size() - 1);
  settings.waits_for_debugger = waits;
  // An overflow of this thread's own stack is told as well, unless it has another signal stack.
  // Never freed: an earlier handler may run on it while the process exits.
  [[maybe_unused]] static const auto* const stack = new OwnSignalStack;
  // The kernel may let nobody else attach but parents.
  if (waits) prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  // release: pairs with the acquire in handle_fault().
  settings.reports.store(true, std::memory_order_release);
  detail::install(detail::kFaults.size());
}

}  // namespace kumiko::runtime
