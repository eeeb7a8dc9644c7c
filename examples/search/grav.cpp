// The force of (2 n + 1)^3 unit masses at the integer points of a cube on a point beside them, by
// three nested loops. Small sums are added to large ones now and then, so that little is lost.
//
//     build/release/bin/example_search_grav [n] [workers] [rounds]
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "program.hpp"

namespace {

using kumiko::runtime::Polls;

constexpr std::array<double, 3> kPoint{0.3, 0.4, 0.25};

struct Force {
  std::array<double, 3> large{};
  std::array<double, 3> small{};

  void add(double x, double y, double z) {
    const double square = x * x + y * y + z * z;
    const double factor = 1 / (square * std::sqrt(square));
    small[0] += x * factor;
    small[1] += y * factor;
    small[2] += z * factor;
    if (std::abs(small[0]) > 1 || std::abs(small[1]) > 1 || std::abs(small[2]) > 1) settle();
  }
  void settle() {
    for (std::size_t i = 0; i < 3; ++i) large[i] += std::exchange(small[i], 0.0);
  }
};

constexpr auto kGive = [](const Force&, int, int) { return Force{}; };
constexpr auto kTake = [](Force& here, Force&& part) {
  part.settle();
  for (std::size_t i = 0; i < 3; ++i) here.large[i] += part.large[i];
};

void attract(auto& search, int n) {
  const auto plane = [n](auto& in_space, int x) {
    const auto line = [n, x](auto& in_plane, int y) {
      const auto point = [x, y](auto& at, int z) {
        at->add(x - kPoint[0], y - kPoint[1], z - kPoint[2]);
      };
      in_plane.template split_for<Polls::kAtBegin>(-n, n + 1, point, kGive, kTake);
    };
    in_space.split_for(-n, n + 1, line, kGive, kTake);
  };
  search.split_for(-n, n + 1, plane, kGive, kTake);
  search->settle();
}

std::string compare_with_plain_sum(int n, const Force& force) {
  std::array<long double, 3> sum{};
  for (int x = -n; x <= n; ++x) {
    for (int y = -n; y <= n; ++y) {
      for (int z = -n; z <= n; ++z) {
        const std::array<double, 3> d{x - kPoint[0], y - kPoint[1], z - kPoint[2]};
        const double cube = std::pow(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], 1.5);
        for (std::size_t i = 0; i < 3; ++i) sum[i] += d[i] / cube;
      }
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const double error = force.large[i] - static_cast<double>(sum[i]);
    if (std::abs(error) > 1e-9) return "a plain sum differs by " + std::to_string(error);
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const examples::Number size{.name = "n", .least = 1, .most = 1000, .fallback = 20};
  return examples::search_program(
      argc, argv, size, [](int) { return Force{}; },
      [](auto& search, int n) { attract(search, n); },
      examples::Answer{"force_x", [](const Force& force) { return force.large[0]; }},
      compare_with_plain_sum);
}
