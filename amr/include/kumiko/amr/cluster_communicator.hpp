// A rank of a mesh that the ranks of a cluster share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <kumiko/amr/collect.hpp>
#include <kumiko/cluster/cluster.hpp>

namespace kumiko::amr {

/// A rank that is a rank of a cluster; its number is the rank.
class ClusterCommunicator final : public Communicator {
 public:
  /// The cluster must outlive it.
  explicit ClusterCommunicator(const cluster::Cluster& cluster) : here_(cluster.here()) {}

  std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> own) override;
  std::int32_t rank() const override;
  std::int32_t size() const override;
  const cluster::Here* here() const override { return &here_; }
  void check_others() override;
  void check_leader() override;

 private:
  void check_losses() const;

  cluster::Here here_;
};

}  // namespace kumiko::amr
