// Ranks in one process, each with its own Runtime: for tests, and to try a program.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/link.hpp>
#include <kumiko/runtime/options.hpp>

namespace kumiko::cluster {

/// Options of the messages between the ranks of a Loopback.
struct LoopbackOptions {
  int ranks = 2;  ///< the number of ranks
  /// Each frame is delayed by a random time from 0 to this, drawn with `seed`.
  std::chrono::microseconds longest_delay{0};
  /// True if a frame may overtake another one between the same ranks.
  bool reorders = false;
  std::uint64_t seed = 1;  ///< of the random numbers
  /// The time until the other ranks notice that a rank has vanished.
  std::chrono::milliseconds detection{10};
};

namespace detail {
class LoopbackNet;
}

/// A network within one process, whose links pass frames from rank to rank. It may be destroyed
/// before its links.
class Loopback {
 public:
  /// \throws std::invalid_argument for less than one rank, std::system_error if the system refuses
  /// descriptors.
  explicit Loopback(const LoopbackOptions& options);

  /// The number of ranks, vanished ones included.
  int ranks() const noexcept;

  /// The link of a rank, to be taken once. \throws std::out_of_range if there is no such rank
  std::unique_ptr<Link> link(int rank);

  /// Makes the rank vanish, as if its process had been killed: nothing arrives from it or reaches
  /// it, and the others notice it after LoopbackOptions::detection. For any thread.
  void vanish(int rank);

  /// Delays each frame from and to this rank by this additional time from now on. For any thread.
  void slow(int rank, std::chrono::microseconds delay);

 private:
  std::shared_ptr<detail::LoopbackNet> net_;
};

/// Runs body(cluster) as a lightweight thread on every rank of a network, each of which has its own
/// Runtime and leaves when its body has ended. Blocks the calling OS thread until all have left.
/// Rethrows an exception of a body; if several throw, that of the lowest rank.
void run_ranks(Loopback& net, const runtime::Options& runtime, const ClusterOptions& cluster,
               const std::function<void(Cluster&)>& body);

}  // namespace kumiko::cluster
