// A sum over all ranks, by a tree of invocations: each rank asks two others for the sums of their
// parts while it computes its own. The result does not depend on which answer comes first, since
// the three are added in one order.
//
//     build/release/bin/example_cluster_reduction 5
//     mpirun -n 4 --bind-to none build/release/bin/example_cluster_reduction
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/runtime/future.hpp>

#include "ranks.hpp"

namespace cluster = kumiko::cluster;

namespace {

constexpr long kTerms = 4'000'000;

/// The terms 1/k² of this rank and of those below it in the tree.
struct SumOfTree {
  double operator()(const cluster::Here& here) const {
    std::vector<cluster::Future<double>> below;
    for (const int child : {2 * here.rank() + 1, 2 * here.rank() + 2}) {
      if (child < here.size()) below.push_back(here.async(child, SumOfTree{}));
    }
    double sum = 0;
    for (long k = kTerms - here.rank(); k >= 1; k -= here.size()) {
      sum += 1 / (static_cast<double>(k) * static_cast<double>(k));
    }
    for (cluster::Future<double>& other : below) sum += other.get();
    return sum;
  }
};

}  // namespace

int main(int argc, char** argv) {
  return examples::run_ranks(argc, argv, [](cluster::Cluster& rank) {
    if (rank.rank() != 0) return true;
    const double sum = rank.here().invoke(0, SumOfTree{});
    const double limit = std::numbers::pi * std::numbers::pi / 6;
    std::printf("sum of 1/k^2 to %ld on %d ranks: %.12f, below pi^2/6 by %.3e\n", kTerms,
                rank.size(), sum, limit - sum);
    return std::abs(limit - sum - 1.0 / kTerms) < 1e-9;
  });
}
