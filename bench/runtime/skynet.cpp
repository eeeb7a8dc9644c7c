// skynet: a tree of threads, ten below each, whose leaves give their number; the sum comes back.
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "support/program.hpp"

namespace kumiko::bench {
namespace {

constexpr std::int64_t kChildren = 10;

std::int64_t sum_of_leaves(std::int64_t first, std::int64_t leaves) {
  if (leaves == 1) return first;
  std::array<std::int64_t, kChildren> sums;
  System::Group group;
  const std::int64_t below = leaves / kChildren;
  for (std::size_t i = 0; i < kChildren; ++i) {
    group.run([&sum = sums[i], begin = first + static_cast<std::int64_t>(i) * below, below] {
      sum = sum_of_leaves(begin, below);
    });
  }
  group.wait();
  std::int64_t sum = 0;
  for (const std::int64_t part : sums) sum += part;
  return sum;
}

class Skynet {
 public:
  static constexpr std::string_view kName = "skynet";

  explicit Skynet(Arguments& arguments) : leaves_(arguments.integer("leaves", 1'000'000)) {
    for (std::int64_t rest = leaves_; rest != 1; rest /= kChildren) {
      if (rest < 1 || rest % kChildren != 0) {
        throw std::invalid_argument("leaves must be a power of ten");
      }
      threads_ = threads_ * kChildren + kChildren;
    }
  }

  Measurement measure(System& system) const {
    std::int64_t sum = 0;
    const double seconds =
        seconds_of([&] { system.run([&] { sum = sum_of_leaves(0, leaves_); }); });
    return {seconds, static_cast<std::uint64_t>(threads_), {{"sum", sum}}};
  }

 private:
  std::int64_t leaves_;
  std::int64_t threads_ = 0;
};

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  return kumiko::bench::program_main<kumiko::bench::Skynet>(argc, argv);
}
