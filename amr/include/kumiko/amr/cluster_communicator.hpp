// A rank of a mesh that the ranks of a cluster share.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <kumiko/amr/collect.hpp>
#include <kumiko/cluster/cluster.hpp>

namespace kumiko::amr {

/// A rank that is a rank of a cluster; its number is the rank.
class ClusterCommunicator final : public Communicator {
 public:
  /// Every rank must make one, on a lightweight thread or an OS thread; the constructor may
  /// suspend. The cluster must outlive it. Throws cluster::RankLost.
  explicit ClusterCommunicator(cluster::Cluster& cluster);
  ~ClusterCommunicator() override;
  ClusterCommunicator(const ClusterCommunicator&) = delete;

  std::vector<std::byte> all_gather(std::span<const std::byte> own) override;
  std::int32_t rank() const override;
  std::int32_t size() const override;
  void send(std::int32_t to, std::span<const std::byte> message) override;
  void set_receiver(const Receiver& receiver) override;
  std::vector<std::byte> ask(std::int32_t to, std::span<const std::byte> question) override;
  void set_answerer(const Answerer& answerer) override;
  void check_others() override;

 private:
  class Endpoint;

  cluster::Here here_;
  std::shared_ptr<Endpoint> endpoint_;
  std::vector<std::uint64_t> endpoints_;  ///< of all ranks
};

}  // namespace kumiko::amr
