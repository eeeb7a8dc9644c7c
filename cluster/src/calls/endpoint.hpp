// One rank's endpoint: the state that all parts of a Node share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/link.hpp>
#include <kumiko/runtime/bell.hpp>
#include <kumiko/runtime/runtime.hpp>

#include "calls/bodies.hpp"
#include "calls/credits.hpp"
#include "calls/outbox.hpp"
#include "watch/process.hpp"

namespace kumiko::cluster::detail {

class Node;

/// This rank's state about another rank. Any thread may use it, because credits, outbox and bodies
/// have their own locks and the rest is atomic, except for is_introduced_to.
struct Peer {
  explicit Peer(int window) noexcept : credits(window) {}

  Credits credits;
  Outbox outbox;
  BodiesInTransit bodies;
  /// Set once, by exchange; the thread that sets it then fails the calls at this rank.
  std::atomic<bool> is_lost{false};
  std::atomic<bool> has_left{false};  ///< set by the poller
  bool is_introduced_to = false;      ///< the poller's
};

/// Counts for ClusterStatistics. Relaxed, because nothing is concluded from one about another.
struct Counters {
  std::atomic<std::uint64_t> messages_sent{0};
  std::atomic<std::uint64_t> messages_received{0};
  std::atomic<std::uint64_t> frames_sent{0};
  std::atomic<std::uint64_t> bytes_sent{0};
  std::atomic<std::uint64_t> credit_waits{0};
  std::atomic<std::uint64_t> polls{0};
  std::atomic<std::uint64_t> credits_early{0};
};

/// One rank's endpoint in its cluster: the link, the Runtime that polls it, and a Peer for each
/// rank, this one included. It holds what the other parts of a Node share, and decides nothing.
///
/// *Invariant.* Constants and the list of peers do not change after construction; the rest is
/// atomic or locks itself. The exceptions are the link and Bell::ring_at(), which only the poller
/// uses: the Runtime lets one OS thread poll at a time, and the Node ends the link after the last
/// poll.
///
/// The parts of the Node use it, from any thread.
struct Endpoint {
  /// \param joined  nullptr for a cluster of one rank, which is not polled
  /// \throws std::invalid_argument for invalid options
  Endpoint(Node& home, runtime::Runtime& scheduler, std::unique_ptr<Link> joined,
           const ClusterOptions& chosen);

  Peer& peer(int other) noexcept { return *peers[static_cast<std::size_t>(other)]; }
  const Peer& peer(int other) const noexcept { return *peers[static_cast<std::size_t>(other)]; }

  /// \throws std::out_of_range if there is no such rank
  void check(int other) const;

  Node& node;  ///< for functions that run on this rank
  runtime::Runtime& runtime;
  const std::unique_ptr<Link> link;
  const ClusterOptions options;
  const std::uint64_t program;
  const int rank;
  const int size;
  const Process process;  ///< this one, if there are others
  std::vector<std::unique_ptr<Peer>> peers;
  runtime::Bell bell;
  std::atomic<bool> is_open{true};  ///< until this rank has left
  Counters counters;
};

}  // namespace kumiko::cluster::detail
