// A policy of each kind, made outside the runtime: whom an idle worker asks for work, which ready
// thread goes next, and how a worker waits. Leaves of a tree are counted with them.
//
//     build/release/bin/example_own_policies
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <kumiko/runtime/policy/choosing.hpp>
#include <kumiko/runtime/policy/stealing.hpp>
#include <kumiko/runtime/policy/waiting.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/this_thread.hpp>

namespace rt = kumiko::runtime;
namespace policy = kumiko::runtime::policy;

namespace {

std::atomic<long> rounds = 0;
std::atomic<long> choices = 0;
std::atomic<long> searches = 0;

/// Asks the neighbour with the next higher index first, then the one after it, around the circle.
struct Ring {
  bool round(const policy::Others& others, const policy::Draw&, const policy::Visit& visit) const {
    ++rounds;
    for (std::size_t step = 1; step < others.workers; ++step) {
      if (visit((others.thief + step) % others.workers)) return true;
    }
    return false;
  }
};

/// Looks at the queue, where threads are that yielded, only at every eighth turn before the deque.
struct DequeFirst {
  bool next(bool outside_first, const policy::Take& take) {
    using policy::Source;
    ++choices;
    const bool others_first = outside_first || ++turns % 8 == 0;
    if (!others_first && take(Source::kDeque)) return true;
    if (turns % 64 == 0 && take(Source::kOthers)) return true;
    return take(Source::kOutside) || take(Source::kEvents) || take(Source::kQueue) ||
           take(Source::kDeque);
  }
  unsigned turns = 0;
};

/// Searches for a fifth of a millisecond, and lets others have the core meanwhile.
struct Patient {
  std::chrono::nanoseconds search_time(const policy::Surroundings&) const {
    ++searches;
    return std::chrono::microseconds(200);
  }
  int pauses() const { return 16; }
  bool gives_core_away(const policy::Surroundings&) const { return true; }
};

long leaves(int depth) {
  if (depth == 0) return 1;
  rt::TaskGroup group;
  long left = 0;
  group.run([&left, depth] { left = leaves(depth - 1); });
  const long right = leaves(depth - 1);
  rt::this_thread::yield();
  group.wait();
  return left + right;
}

}  // namespace

int main() {
  constexpr int kDepth = 14;
  long counted = 0;
  {
    rt::Runtime runtime({.workers = 3, .idle = Patient{}, .steal = Ring{}, .next = DequeFirst{}});
    runtime.run([&] { counted = leaves(kDepth); });
  }
  std::printf("%ld leaves; %ld rounds of thieves, %ld choices, %ld searches\n", counted,
              rounds.load(), choices.load(), searches.load());
  const bool all_asked = rounds > 0 && choices > 0 && searches > 0;
  return counted == 1L << kDepth && all_asked ? EXIT_SUCCESS : EXIT_FAILURE;
}
