// A token travels around all ranks, a thousand times; whoever has it last assigns the entry that
// rank 0 waits for.
//
//     build/release/bin/example_cluster_ring 3
//     mpirun -n 2 --bind-to none build/release/bin/example_cluster_ring
#include <chrono>
#include <cstdio>
#include <utility>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/token.hpp>

#include "ranks.hpp"

namespace cluster = kumiko::cluster;

namespace {

constexpr int kHops = 1000;

/// Hands the token on, or uses it.
struct HandOn {
  void operator()(const cluster::Here& here, cluster::RemoteToken<int> token, int hops) const {
    if (hops == kHops) return token.send(here.rank());
    here.post((here.rank() + 1) % here.size(), HandOn{}, std::move(token), hops + 1);
  }
};

}  // namespace

int main(int argc, char** argv) {
  return examples::run_ranks(argc, argv, [](cluster::Cluster& rank) {
    if (rank.rank() != 0) return true;
    const cluster::Here here = rank.here();
    cluster::RemoteEntry<int> last(here);
    const auto begin = std::chrono::steady_clock::now();
    here.post(0, HandOn{}, last.token(), 0);
    const int where = last.get();
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - begin;
    std::printf("%d hops around %d ranks ended on rank %d, %.2f us each\n", kHops, here.size(),
                where, taken.count() / kHops);
    return where == kHops % here.size();
  });
}
