// Membership of a process in a cluster: the ranks that run one program together.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string_view>

#include <kumiko/cluster/here.hpp>
#include <kumiko/cluster/link.hpp>
#include <kumiko/runtime/runtime.hpp>

namespace kumiko::cluster {

/// Counters of a rank's messages.
struct ClusterStatistics {
  std::uint64_t messages_sent = 0;      ///< calls, answers and others that may wake a thread
  std::uint64_t messages_received = 0;  ///< of the same kinds
  std::uint64_t frames_sent = 0;        ///< sent by the link, each with one or more messages
  std::uint64_t bytes_sent = 0;         ///< in frames and bodies
  std::uint64_t credit_waits = 0;       ///< calls that had to wait for a credit
  std::uint64_t polls = 0;              ///< polls for messages, including empty ones
  std::uint64_t credits_early = 0;      ///< credits returned before a function had ended
};

/// Options of a rank. All ranks should have the same.
struct ClusterOptions {
  /// The largest number of calls of one depth that a rank may have in progress at another rank; at
  /// least 1.
  int window = 256;
  /// Messages to one rank are gathered into a bundle. This is the largest size of a bundle in
  /// bytes; MPIs send as many without asking the receiver first.
  std::size_t bundle_bytes = 4032;
  /// The longest time for which messages are gathered. A bundle is sent earlier if it is full, or
  /// if the worker has nothing else to do.
  std::chrono::nanoseconds bundle_time = std::chrono::microseconds(2);
  /// The time for which leave() waits for the others before it treats them as lost.
  std::chrono::milliseconds patience = std::chrono::seconds(30);
  /// If this rank waits for another rank, which has sent nothing for this time although its poller
  /// was asked, a warning is printed to stderr. More than 0.
  std::chrono::milliseconds warn_after = std::chrono::seconds(5);
  /// After this time such a rank is treated as lost by all ranks; at least warn_after. Set it
  /// higher if a rank may begin later than others, or be stopped, for longer than this. A process
  /// on the same machine is lost as soon as its end is noticed; a process stopped by a debugger is
  /// not lost.
  std::chrono::milliseconds lost_after = std::chrono::seconds(60);
  /// True to report a deadlock on stderr if the threads of all ranks wait for each other: once,
  /// rank by rank, with what each thread waits for. The report is made after
  /// runtime::Options::deadlock_report_after (0: never), but not after a rank is lost. The ranks
  /// continue to wait. Must be the same on all ranks.
  bool report_deadlocks = true;
};

/// One rank's membership in a cluster. It serves calls of the other ranks from its construction
/// until it leaves. It belongs to one Runtime, whose workers poll for messages.
///
/// Cost with one rank: nothing is attached to the Runtime.
class Cluster {
 public:
  /// A cluster of one rank.
  explicit Cluster(runtime::Runtime& runtime, ClusterOptions options = {});

  /// Joins by a link.
  /// \throws std::invalid_argument for invalid options, std::logic_error if two invoked functions
  /// have the same name, std::system_error if the system refuses descriptors.
  Cluster(runtime::Runtime& runtime, std::unique_ptr<Link> link, ClusterOptions options = {});

  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// Leaves the cluster. During stack unwinding it does not wait for the other ranks, but sends
  /// them the reason.
  ~Cluster();

  /// The number of this rank, from 0.
  int rank() const noexcept { return here().rank(); }
  /// The number of ranks, lost ones included.
  int size() const noexcept { return here().size(); }

  /// This rank, for calls of depth 0.
  Here here() const noexcept;

  /// Waits until all ranks want to leave or are lost. Before this rank announces that it leaves, it
  /// waits for the answers of its calls, except those that were given up, and for all posts, unless
  /// a rank is lost. All ranks must call it. Here must not be used afterwards. Suspends, or blocks
  /// an OS thread.
  void leave();

  /// Leaves immediately: the other ranks get RankLost with this reason.
  void abandon(std::string_view reason);

  /// The counts of this rank's messages until now.
  ClusterStatistics statistics() const;

 private:
  std::shared_ptr<detail::Node> node_;
  const int exceptions_ = std::uncaught_exceptions();  ///< in flight at construction
};

}  // namespace kumiko::cluster
