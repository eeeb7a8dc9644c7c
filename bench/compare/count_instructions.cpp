// Preloaded into a benchmark program: counts the instructions that all its threads execute between
// the two times that the main thread reads from the steady clock first, which is what such a
// program measures. The processor traps after each, by its trap flag: a microsecond or two, but the
// count does not depend on who else is at work. Prints `instructions N` on stderr. A thread that
// blocks all signals meanwhile, as it does when it ends, cannot be stepped through: the system ends
// the program then.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <dirent.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if !defined(__x86_64__) || !defined(__linux__)
#error "the trap flag is x86-64's, and the threads are found as Linux lists them"
#endif

namespace {

constexpr greg_t kTrapFlag = 0x100;

std::atomic<bool> counting{false};
std::atomic<long> instructions{0};
std::atomic<int> armed{0};

/// Every thread gets it once when counting begins; the flag takes effect when it returns.
void begin_here(int, siginfo_t*, void* context) {
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] |= kTrapFlag;
  armed.fetch_add(1, std::memory_order_release);
}

void count_one(int, siginfo_t*, void* context) {
  if (counting.load(std::memory_order_relaxed)) {
    instructions.fetch_add(1, std::memory_order_relaxed);
  } else {
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
  }
}

void handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigfillset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

/// The signal that nothing here uses otherwise.
int begin_signal() { return SIGRTMAX - 3; }

/// Calls function(thread) for all threads of the process but the caller.
template <class Function>
int for_each_other_thread(Function function) {
  DIR* const tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return 0;
  const long self = syscall(SYS_gettid);
  int others = 0;
  while (const dirent* entry = readdir(tasks)) {
    const long thread = std::atol(entry->d_name);
    if (thread == 0 || thread == self) continue;
    function(thread);
    ++others;
  }
  closedir(tasks);
  return others;
}

/// The main thread only waits meanwhile, so it is not counted.
void start_count() {
  handle(SIGTRAP, &count_one);
  handle(begin_signal(), &begin_here);
  counting.store(true, std::memory_order_relaxed);
  const int others = for_each_other_thread(
      [](long thread) { syscall(SYS_tgkill, getpid(), thread, begin_signal()); });
  while (armed.load(std::memory_order_acquire) < others) usleep(100);
  instructions.store(0, std::memory_order_relaxed);
}

void stop_count() {
  counting.store(false, std::memory_order_relaxed);
  std::fprintf(stderr, "instructions %ld\n", instructions.load(std::memory_order_relaxed));
}

std::chrono::steady_clock::time_point read_clock() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::chrono::steady_clock::time_point(std::chrono::seconds(time.tv_sec) +
                                               std::chrono::nanoseconds(time.tv_nsec));
}

}  // namespace

/// In place of the library's: the linker takes the first that it finds, and this one is preloaded.
std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
  static int reads = 0;
  if (syscall(SYS_gettid) == getpid()) {
    ++reads;
    if (reads == 1) start_count();
    if (reads == 2) stop_count();
  }
  return read_clock();
}
