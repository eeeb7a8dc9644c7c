// Contract: the kernels of face velocities have the same bits by every instruction set, at any
// margin and with seams, and are the differences and the maximum that they stand for.
#include "bridge/face_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/plugin/face_velocities.hpp>

#include "kernels.hpp"

namespace kumiko::plugin {
namespace {

std::vector<double> noise_of(std::size_t count) {
  std::mt19937_64 random(count);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> values(count);
  for (double& value : values) value = uniform(random);
  return values;
}

std::vector<FaceKernel> face_kernels() {
  std::vector<FaceKernel> kernels;
  for (const auto kernel :
       test::kernels_here(&face_kernel_baseline, &face_kernel_avx2, &face_kernel_avx512)) {
    kernels.push_back(kernel());
  }
  return kernels;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(FaceKernel, GivenRunsOfNodesThenDifferencesAreThoseAlongTheFacesByEveryInstructionSet) {
  for (const std::size_t cells : {18U, 22U, 30U}) {
    for (const std::size_t below : {std::size_t{0}, std::size_t{1}, std::size_t{7}}) {
      // A seam after so many cells of either axis, where there is one.
      const std::vector<NodeRun> runs =
          below == 0 ? std::vector<NodeRun>{{0, cells}}
                     : std::vector<NodeRun>{{0, below}, {below + 1, cells - below}};
      const std::size_t width = cells + 1 + (runs.size() - 1);
      const std::vector<double> psi = noise_of(width * width);
      const double scale = 0.37;
      std::vector<double> x;
      std::vector<double> y;
      for (std::size_t row = 0; row < cells; ++row) {
        const std::size_t node_row = row + (below > 0 && row >= below ? 1 : 0);
        for (std::size_t cell = 0; cell < cells; ++cell) {
          const std::size_t at = node_row * width + cell + (below > 0 && cell >= below ? 1 : 0);
          if (cell > 0) x.push_back((psi[at + width] - psi[at]) * scale);
          if (row > 0) y.push_back((psi[at] - psi[at + 1]) * scale);
        }
      }
      const NodeRuns axis{runs.data(), runs.size()};
      for (const FaceKernel& kernel : face_kernels()) {
        std::vector<double> made_x(x.size());
        std::vector<double> made_y(y.size());
        kernel.subtract({psi.data(), width, axis, axis}, scale, made_x.data(), made_y.data());
        EXPECT_TRUE(same_bits(made_x, x)) << cells << ", " << below;
        EXPECT_TRUE(same_bits(made_y, y)) << cells << ", " << below;
      }
    }
  }
}

TEST(FaceKernel, GivenNodesThenEveryInstructionSetSpreadsTheirCoordinates) {
  const std::vector<double> columns = noise_of(21);
  const std::vector<double> rows = noise_of(19);
  for (const FaceKernel& kernel : face_kernels()) {
    std::vector<double> x(columns.size() * rows.size());
    std::vector<double> y(x.size());
    kernel.spread(columns.data(), columns.size(), rows.data(), rows.size(), x.data(), y.data());
    for (std::size_t at = 0; at < x.size(); ++at) {
      ASSERT_EQ(x[at], columns[at % columns.size()]);
      ASSERT_EQ(y[at], rows[at / columns.size()]);
    }
  }
}

TEST(FaceKernel, GivenFacesThenTheLargestSumIsThatOfTheFastestCellByEveryInstructionSet) {
  for (const int margin : {0, 3}) {
    const std::vector<double> values = noise_of(face_values(margin));
    const Faces x = faces_x(values.data(), margin);
    const Faces y = faces_y(values.data(), margin);
    double largest = 0.0;
    for (int j = 0; j < amr::kPatchSize; ++j) {
      for (int i = 0; i < amr::kPatchSize; ++i) {
        largest = std::max(largest, std::max(std::abs(x(i, j)), std::abs(x(i + 1, j))) +
                                        std::max(std::abs(y(i, j)), std::abs(y(i, j + 1))));
      }
    }
    for (const FaceKernel& kernel : face_kernels()) {
      EXPECT_EQ(kernel.largest({x.origin, x.stride, y.origin, y.stride}), largest);
    }
    EXPECT_EQ(cfl_number(values, margin), largest);
  }
}

}  // namespace
}  // namespace kumiko::plugin
