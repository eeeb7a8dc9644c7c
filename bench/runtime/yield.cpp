// yield: two threads on one worker that let each other go first.
#include <atomic>
#include <cstdint>
#include <string_view>

#include "support/program.hpp"

namespace kumiko::bench {
namespace {

class Yield {
 public:
  static constexpr std::string_view kName = "yield";

  explicit Yield(Arguments& arguments) : yields_(arguments.integer("yields", 1'000'000)) {}

  Measurement measure(System& system) const {
    std::atomic<int> present{0};
    std::atomic<std::int64_t> done{0};
    const auto yield_in_turn = [&] {
      present.fetch_add(1, std::memory_order_relaxed);
      while (present.load(std::memory_order_relaxed) < kThreads) System::yield();
      for (std::int64_t i = 0; i < yields_; ++i) System::yield();
      done.fetch_add(yields_, std::memory_order_relaxed);
    };
    const double seconds = seconds_of([&] {
      system.run([&] {
        System::Group group;
        for (int i = 0; i < kThreads; ++i) group.run(yield_in_turn);
        group.wait();
      });
    });
    return {seconds, static_cast<std::uint64_t>(kThreads * yields_), {{"yields", done.load()}}};
  }

 private:
  static constexpr int kThreads = 2;

  std::int64_t yields_;
};

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  return kumiko::bench::program_main<kumiko::bench::Yield>(argc, argv);
}
