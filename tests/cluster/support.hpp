// Ranks in one process, for tests.
#pragma once

#include <chrono>
#include <functional>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/loopback.hpp>

namespace kumiko::cluster {

/// How the ranks of a test are made.
struct RanksOptions {
  int ranks = 2;
  int workers = 1;
  LoopbackOptions net{};
  ClusterOptions cluster{};
  std::chrono::milliseconds deadlock_report_after{5000};
};

/// Ranks of a network of their own: see run_ranks().
class Ranks {
 public:
  explicit Ranks(const RanksOptions& options = {})
      : options_(options), net_(with_ranks(options.net, options.ranks)) {}

  Loopback& net() noexcept { return net_; }

  void run(const std::function<void(Cluster&)>& body) {
    const runtime::Options workers{.workers = options_.workers,
                                   .deadlock_report_after = options_.deadlock_report_after};
    run_ranks(net_, workers, options_.cluster, body);
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
