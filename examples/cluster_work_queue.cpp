// A queue of work on rank 0, from which all ranks take pieces until none is left: primes are
// counted.
//
//     build/release/bin/example_cluster_work_queue 3
//     mpirun -n 2 --bind-to none build/release/bin/example_cluster_work_queue
#include <atomic>
#include <cstdio>
#include <numeric>
#include <vector>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/twin.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "ranks.hpp"

namespace cluster = kumiko::cluster;

namespace {

constexpr long kLimit = 200'000;
constexpr long kPrimes = 17984;  // below kLimit
constexpr long kPiece = 1000;

long count_primes(long begin, long end) {
  long count = 0;
  for (long number = begin; number < end; ++number) {
    bool is_prime = number > 1;
    for (long d = 2; is_prime && d * d <= number; ++d) is_prime = number % d != 0;
    count += is_prime ? 1 : 0;
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_ranks(argc, argv, [](cluster::Cluster& rank) {
    const cluster::Here here = rank.here();
    std::atomic<long> next_piece = 0;  // where it begins; rank 0's is the queue
    const cluster::Twin<std::atomic<long>> queue(here, next_piece);
    const auto take = [](std::atomic<long>& next) { return next.fetch_add(kPiece); };
    long primes = 0;
    int pieces = 0;
    for (long begin = queue.on(0, take); begin < kLimit; begin = queue.on(0, take)) {
      primes += count_primes(begin, begin + kPiece);
      ++pieces;
      kumiko::runtime::this_thread::yield();  // the worker may answer
    }
    const std::vector<long> counts = cluster::gather(here, primes).get();
    const std::vector<int> shares = cluster::gather(here, pieces).get();
    if (here.rank() != 0) return true;
    for (std::size_t other = 0; other < shares.size(); ++other) {
      std::printf("rank %zu took %d pieces\n", other, shares[other]);
    }
    const long all = std::accumulate(counts.begin(), counts.end(), 0L);
    std::printf("%ld primes below %ld\n", all, kLimit);
    return all == kPrimes;
  });
}
