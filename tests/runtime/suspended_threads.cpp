// Stops for a debugger while lightweight threads are in every state, on one worker: see
// gdb_test.py.
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include <kumiko/runtime/latch.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/this_thread.hpp>
#include <kumiko/runtime/thread.hpp>

namespace rt = kumiko::runtime;

namespace {

struct State {
  rt::Latch gate{1};
  std::atomic<bool> begun{false};
  std::atomic<bool> go_on{false};
};

// asm keeps the calls from being the last thing, and jumps.
[[gnu::noinline]] void waits_inside(State& state) {
  state.gate.wait();
  asm volatile("" ::: "memory");
}

void runs(State& state) {
  state.begun = true;
  while (!state.go_on) std::this_thread::yield();
}

/// The one that it makes runs at once, and nobody is there to continue this one meanwhile.
[[gnu::noinline]] void is_runnable_inside(State& state) {
  rt::Thread("running", [&state] { runs(state); }).detach();
  asm volatile("" ::: "memory");
}

}  // namespace

int main() {
  State state;
  rt::Runtime runtime(rt::Options{.workers = 1});
  std::thread first([&] {
    runtime.run([&state] {
      rt::this_thread::set_name("runnable");
      rt::Thread("waiting", [&state] { waits_inside(state); }).detach();
      rt::Thread([&state] { waits_inside(state); }).detach();
      rt::Thread("ended", [] {}).join();
      is_runnable_inside(state);
    });
  });
  while (!state.begun) std::this_thread::yield();
  std::thread second([&] { runtime.run([] { rt::this_thread::set_name("new"); }); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // until it is queued
  std::raise(SIGTRAP);
  state.go_on = true;
  second.join();
  first.join();
  state.gate.count_down();
}
