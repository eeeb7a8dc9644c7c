// Ranks in one process, for tests.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/loopback.hpp>
#include <kumiko/runtime/runtime.hpp>

namespace kumiko::cluster {

/// How the ranks of a test are made.
struct RanksOptions {
  int ranks = 2;
  int workers = 1;
  LoopbackOptions net{};
  ClusterOptions cluster{};
};

/// Runs body(cluster) as a lightweight thread on every rank, each of which then leaves. What
/// escapes a body is thrown by run() when all have ended.
class Ranks {
 public:
  using Body = std::function<void(Cluster&)>;

  explicit Ranks(RanksOptions options = {})
      : options_(std::move(options)), net_(with_ranks(options_.net, options_.ranks)) {}

  Loopback& net() noexcept { return net_; }

  void run(const Body& body) {
    std::vector<std::exception_ptr> escaped(static_cast<std::size_t>(options_.ranks));
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < options_.ranks; ++rank) {
      ranks.emplace_back([&, rank] {
        try {
          runtime::Runtime runtime({.workers = options_.workers});
          runtime.run([&] {
            Cluster cluster(runtime, net_.link(rank), options_.cluster);
            body(cluster);
          });
        } catch (...) {
          escaped[static_cast<std::size_t>(rank)] = std::current_exception();
        }
      });
    }
    for (std::thread& rank : ranks) rank.join();
    for (const std::exception_ptr& exception : escaped) {
      if (exception != nullptr) std::rethrow_exception(exception);
    }
  }

 private:
  static LoopbackOptions with_ranks(LoopbackOptions net, int ranks) {
    net.ranks = ranks;
    return net;
  }

  const RanksOptions options_;
  Loopback net_;
};

}  // namespace kumiko::cluster
