// blocked: many threads that all wait for one event, are released and joined.
#include <cstdint>
#include <mutex>
#include <string_view>

#include "support/program.hpp"

namespace kumiko::bench {
namespace {

class Blocked {
 public:
  static constexpr std::string_view kName = "blocked";

  explicit Blocked(Arguments& arguments) : threads_(arguments.integer("threads", 100'000)) {}

  Measurement measure(System& system) const {
    System::Mutex mutex;
    System::ConditionVariable all_wait;
    System::ConditionVariable release;
    std::int64_t waiting = 0;
    std::int64_t passed = 0;
    bool released = false;
    const auto wait_for_release = [&] {
      std::unique_lock lock(mutex);
      if (++waiting == threads_) all_wait.notify_one();
      release.wait(lock, [&] { return released; });
      ++passed;
    };
    const auto release_all = [&] {
      const std::lock_guard lock(mutex);
      released = true;
      release.notify_all();
    };
    const auto wait_for_all = [&] {
      std::unique_lock lock(mutex);
      all_wait.wait(lock, [&] { return waiting == threads_; });
    };
    const double seconds = seconds_of([&] {
      system.run([&] {
        System::Group group;
        try {
          for (std::int64_t i = 0; i < threads_; ++i) group.run(wait_for_release);
        } catch (...) {
          release_all();  // the group ends with its last thread
          throw;
        }
        wait_for_all();
        release_all();
        group.wait();
      });
    });
    return {seconds, static_cast<std::uint64_t>(threads_), {{"passed", passed}}};
  }

 private:
  std::int64_t threads_;
};

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  return kumiko::bench::program_main<kumiko::bench::Blocked>(argc, argv);
}
