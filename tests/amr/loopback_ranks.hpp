// Ranks of one process that share a mesh.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/cluster_communicator.hpp>
#include <kumiko/cluster/loopback.hpp>

namespace kumiko::amr::test {

struct LoopbackRanks {
  int ranks = 2;
  int workers = 1;         ///< of each
  std::uint64_t seed = 0;  ///< above 0: messages are late and overtake each other
  std::chrono::microseconds longest_delay{300};
};

/// Calls ask(backend, rank) on every rank, each on an OS thread of its own. Passes on what the
/// first rank throws that does.
inline void on_loopback_ranks(const LoopbackRanks& way,
                              const std::function<void(Backend&, Communicator&)>& ask) {
  cluster::LoopbackOptions options{.ranks = way.ranks};
  if (way.seed != 0) {
    options.longest_delay = way.longest_delay;
    options.reorders = true;
    options.seed = way.seed;
  }
  cluster::Loopback net(options);
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(way.ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < way.ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const auto backend = make_backend("threads", way.workers);
        cluster::Cluster cluster(*backend->runtime(), net.link(rank));
        ClusterCommunicator communicator(cluster);
        ask(*backend, communicator);
      } catch (...) {
        thrown[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : thrown) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace kumiko::amr::test
