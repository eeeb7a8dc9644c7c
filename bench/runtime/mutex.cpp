// mutex: two threads that hand a turn to each other through a mutex and a condition variable.
#include <array>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "support/program.hpp"

namespace kumiko::bench {
namespace {

class MutexPingPong {
 public:
  static constexpr std::string_view kName = "mutex";

  explicit MutexPingPong(Arguments& arguments) : turns_(arguments.integer("turns", 200'000)) {}

  Measurement measure(System& system) const {
    System::Mutex mutex;
    std::array<System::ConditionVariable, kThreads> its_turn;
    std::int64_t turn = 0;
    const auto play = [&](std::int64_t self) {
      for (std::int64_t i = 0; i < turns_; ++i) {
        std::unique_lock lock(mutex);
        its_turn[static_cast<std::size_t>(self)].wait(lock,
                                                      [&] { return turn % kThreads == self; });
        ++turn;
        its_turn[static_cast<std::size_t>(1 - self)].notify_one();
      }
    };
    const double seconds = seconds_of([&] {
      system.run([&] {
        System::Group group;
        for (std::int64_t i = 0; i < kThreads; ++i) group.run([&play, i] { play(i); });
        group.wait();
      });
    });
    return {seconds, static_cast<std::uint64_t>(kThreads * turns_), {{"turns", turn}}};
  }

 private:
  static constexpr std::int64_t kThreads = 2;

  std::int64_t turns_;
};

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  return kumiko::bench::program_main<kumiko::bench::MutexPingPong>(argc, argv);
}
