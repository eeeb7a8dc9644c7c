// One rank of a cluster, composed of its parts.
#pragma once

#include <memory>
#include <utility>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/link.hpp>
#include <kumiko/runtime/message_source.hpp>
#include <kumiko/runtime/runtime.hpp>

#include "calls/answers.hpp"
#include "calls/call_server.hpp"
#include "calls/collections.hpp"
#include "calls/endpoint.hpp"
#include "calls/incoming_writes.hpp"
#include "calls/membership.hpp"
#include "calls/outgoing_calls.hpp"
#include "calls/pending_calls.hpp"
#include "calls/poller.hpp"
#include "calls/regions.hpp"
#include "calls/sender.hpp"
#include "calls/twins.hpp"
#include "calls/watcher.hpp"

namespace kumiko::cluster::detail {

/// One rank: makes the parts, which refer to each other, and keeps them alive together. Each part's
/// header states its job, what protects its members, and which threads may call it:
///
/// | part | job |
/// |---|---|
/// | Endpoint | holds what the parts share: the link, the Runtime, a Peer for each rank |
/// | Sender | sends messages: threads fill outboxes, the poller empties them into the link |
/// | PendingCalls, Answers | what waits for answers, and the answers to it |
/// | OutgoingCalls | calls and posts at other ranks |
/// | Collections | collective operations |
/// | Regions, IncomingWrites | memory that other ranks read and write |
/// | Twins | objects that other ranks call functions with |
/// | Membership | losses of ranks, and the end |
/// | CallServer, IncomingCalls | calls of other ranks |
/// | Watcher | silent ranks, and deadlocks of all ranks |
/// | Poller | polls the link, and passes each message to its part |
///
/// *Invariant.* A part refers only to parts that are declared before it. The exception is that the
/// CallServer keeps the Node alive for the threads that it starts.
///
/// The Cluster, the Runtime that polls and the threads that serve calls share the Node; the last of
/// them destroys it.
class Node final : public std::enable_shared_from_this<Node> {
 public:
  /// \param link  nullptr for a cluster of one rank, which is not polled
  Node(runtime::Runtime& runtime, std::unique_ptr<Link> link, const ClusterOptions& options)
      : endpoint_(*this, runtime, std::move(link), options) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  /// Ends the link. No thread polls any more.
  ~Node() { membership_.end_link(); }

  const Endpoint& endpoint() const noexcept { return endpoint_; }
  Answers& answers() noexcept { return answers_; }
  OutgoingCalls& calls() noexcept { return calls_; }
  Collections& collections() noexcept { return collections_; }
  Regions& regions() noexcept { return regions_; }
  Twins& twins() noexcept { return twins_; }
  Membership& membership() noexcept { return membership_; }
  runtime::MessageSource& poller() noexcept { return poller_; }

 private:
  Regions regions_;
  IncomingWrites writes_{regions_};
  Twins twins_;
  Endpoint endpoint_;
  PendingCalls pending_;
  Sender sender_{endpoint_};
  Answers answers_{endpoint_, sender_, pending_};
  OutgoingCalls calls_{endpoint_, sender_, pending_};
  Collections collections_{endpoint_, sender_};
  Membership membership_{endpoint_, sender_, pending_, calls_, collections_, writes_, twins_};
  CallServer server_{endpoint_, sender_, calls_, writes_};
  Watcher watcher_{endpoint_, sender_, pending_, collections_, membership_, writes_, server_};
  Poller poller_{endpoint_,    sender_,     answers_, calls_,
                 collections_, membership_, server_,  watcher_};
};

}  // namespace kumiko::cluster::detail
