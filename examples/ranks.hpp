// Runs an example's body on every rank: the processes that a launcher has started (mpirun), or some
// in this process, each with workers of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/launch.hpp>
#include <kumiko/cluster/loopback.hpp>
#include <kumiko/runtime/runtime.hpp>

#include "arguments.hpp"

namespace examples {

namespace cluster = kumiko::cluster;
namespace rt = kumiko::runtime;

using RankBody = std::function<bool(cluster::Cluster&)>;

/// What main() returns. `body` throws or returns false if something is wrong.
/// \param here  how many ranks to run in this process, where no launcher has started it
/// \param workers  of each rank; 0 = one, or this rank's share of the cores where it was launched
inline int run_ranks(int here, int workers, const RankBody& body) {
  std::atomic<bool> is_right = true;
  const auto checked = [&](cluster::Cluster& rank) {
    if (!body(rank)) is_right = false;
  };
  try {
    if (std::unique_ptr<cluster::Link> link = cluster::link_of_environment(); link != nullptr) {
      rt::Runtime runtime({.workers = workers != 0 ? workers : cluster::workers_by_local_ranks()});
      runtime.run([&] {
        cluster::Cluster rank(runtime, std::move(link));
        checked(rank);
      });
    } else {
      cluster::Loopback net({.ranks = here});
      cluster::run_ranks(net, {.workers = std::max(workers, 1)}, {}, checked);
    }
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "error: %s\n", exception.what());
    return EXIT_FAILURE;
  }
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// The same where the only argument is how many ranks to run in this process, 1 unless told.
inline int run_ranks(int argc, char** argv, const RankBody& body) {
  return run_ranks(read_arguments(argc, argv, Number{"ranks", 1, 64, 1}), 0, body);
}

}  // namespace examples
