// Stops for a debugger while two lightweight threads wait.
#include <chrono>
#include <csignal>
#include <thread>

#include <kumiko/runtime/latch.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/thread.hpp>

namespace rt = kumiko::runtime;

namespace {

[[gnu::noinline]] void waits_inside(rt::Latch& gate) {
  gate.wait();
  asm volatile("" ::: "memory");  // keeps the call above from being the last thing, and a jump
}

}  // namespace

int main() {
  rt::Latch gate(1);
  rt::Runtime runtime(rt::Options{.workers = 2});
  runtime.run([&gate] {
    rt::Thread("first", [&gate] { waits_inside(gate); }).detach();
    rt::Thread([&gate] { waits_inside(gate); }).detach();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::raise(SIGTRAP);
  gate.count_down();
}
