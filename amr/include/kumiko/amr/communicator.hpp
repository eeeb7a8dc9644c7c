// Communication between the ranks that share a mesh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <kumiko/amr/mesh.hpp>

namespace kumiko::cluster {
class Here;
}  // namespace kumiko::cluster

namespace kumiko::amr {

/// A rank and its communication with the others that share a mesh.
class Communicator {
 public:
  virtual ~Communicator() = default;

  /// Sends bytes to all other ranks and returns those of all by rank; of one rank alone, nothing.
  /// Every rank must call it the same number of times. May block the calling OS thread until the
  /// others have sent theirs.
  virtual std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> own) = 0;
  /// This rank's number, from 0, as in Mesh::ranks().
  virtual std::int32_t rank() const = 0;
  /// The number of ranks.
  virtual std::int32_t size() const { return 1; }

  /// The place from which this rank calls the twins of its objects; nullptr if it is the only rank.
  virtual const cluster::Here* here() const { return nullptr; }
  /// Throws cluster::RankLost if another rank is lost or has ended.
  virtual void check_others() {}
  /// Throws cluster::RankLost if a rank is lost, or rank 0 has ended.
  virtual void check_leader() {}

  /// True if this rank holds the data of a patch.
  bool has(const Mesh<2>& mesh, int level, std::size_t slot) const {
    return mesh.ranks(level)[slot] == rank();
  }
};

/// The only rank of a mesh that is not shared.
class SingleRank final : public Communicator {
 public:
  std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> /*own*/) override {
    return {};
  }
  std::int32_t rank() const override { return 0; }
};

/// The communicator of a mesh that is not shared.
inline Communicator& single_rank() {
  static SingleRank alone;
  return alone;
}

}  // namespace kumiko::amr
