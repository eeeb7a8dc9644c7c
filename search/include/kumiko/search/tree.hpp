// A tree of processes over TCP, which can join and leave at any time and send frames to each other.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/search/frame.hpp>

namespace kumiko::search {

/// The way from one process of a tree to another: for each process on the way, the number of the
/// link to the next process. 0 is the parent; 1, 2, ... are children in the order in which they
/// joined. A number is never used again while the process lives.
///
/// Routes are relative, as in Tascell: each process on the way removes the first number of the
/// destination, and puts the number of the link on which the frame arrived in front of the source.
using Route = std::vector<std::uint16_t>;

/// The receiver of a Tree's events. Lightweight threads of the tree's Runtime call these functions.
/// For one link they are called one after the other: joined(), then receive() in the order in which
/// the neighbour sent, then lost(). For different links they may be called at the same time.
///
/// They may suspend for a short time, but must not wait for another message, nor call Tree::leave()
/// or Tree::join(). An exception that escapes from receive() or joined() closes the link.
class TreeReceiver {
 public:
  /// A frame has arrived. `from` is the route back to the process that sent it, or on whose behalf
  /// it was sent.
  virtual void receive(const Route& from, Frame frame) = 0;

  /// A child has joined or, if `link` is 0, this process has joined its parent.
  virtual void joined(std::uint16_t link) = 0;

  /// The neighbour is lost, and so are all processes behind it, whose routes begin with this link:
  /// nothing more arrives from them. Not called for links that leave() closes. Must not throw.
  virtual void lost(std::uint16_t link, const std::string& reason) = 0;

 protected:
  ~TreeReceiver() = default;
};

/// The cause for which a connection has not become a link of a tree.
enum class Refusal {
  kCannotConnect,     ///< no process listens there, or a firewall blocks the connection
  kNotKumiko,         ///< the other side does not speak the protocol
  kOtherVersion,      ///< the other side speaks another version of the protocol
  kWrongSecret,       ///< the two secrets are not the same
  kOtherBuild,        ///< the two processes do not run the same build of the program
  kFull,              ///< the parent has its largest number of children
  kTimeout,           ///< the other side did not complete the handshake in time
  kConnectionClosed,  ///< the other side has closed the connection, possibly because it has too
                      ///< many
  kLeft,              ///< this process has left the tree meanwhile
  kPushedOut,    ///< it had not proved that it knows the secret, and a newer connection needed its
                 ///< place
  kNoResources,  ///< the system refused memory, a stack or a descriptor
};

/// The number of values of Refusal.
inline constexpr std::size_t kRefusals = static_cast<std::size_t>(Refusal::kNoResources) + 1;

/// This process could not join a parent. what() has the cause and the remedy.
class JoinError : public std::runtime_error {
 public:
  JoinError(Refusal cause, const std::string& what) : std::runtime_error(what), cause_(cause) {}

  Refusal cause() const noexcept { return cause_; }

 private:
  Refusal cause_;
};

/// Options and limits of a Tree. The secret and the program must be the same in all processes of a
/// tree, and the limits of frames, routes and times should be.
struct TreeOptions {
  /// A process that knows the secret may join. An attacker who sees the connections can test
  /// guesses, so use 16 random bytes or more, not a word. The secret is never sent.
  std::string secret;
  /// A value that must be the same on both sides, such as a hash of the program's build.
  std::uint64_t program = 0;

  std::size_t largest_frame = std::size_t{16} << 20U;  ///< in bytes
  std::size_t longest_route = 32;  ///< links of the routes to and from a process together
  std::size_t most_unsent_bytes = std::size_t{64}
                                  << 20U;  ///< for each link; beyond this number the link is closed
  std::size_t most_children = 1024;        ///< at a time
  /// The largest number of connections that have not yet proved that they know the secret; at most
  /// half as many as the process may have open files (ulimit -n). To make room for another one, the
  /// tree closes the oldest connection that has not greeted, if such connections have half of the
  /// places; otherwise the oldest that has greeted. It does the same if no descriptors are left.
  std::size_t most_unproved = 512;
  std::chrono::milliseconds handshake_timeout{5000};  ///< for the whole handshake
  std::chrono::milliseconds heartbeat_every{1000};    ///< the interval, when nothing else is sent
  /// A neighbour that has sent no byte, or received none, for this time is lost.
  std::chrono::milliseconds lost_after{10'000};
  /// The time for which leave() waits for neighbours to receive earlier frames.
  std::chrono::milliseconds leave_within{1000};
};

/// Counters of a tree at this process.
struct TreeStatistics {
  std::uint64_t frames_sent = 0;       ///< by send(), without heartbeats
  std::uint64_t frames_received = 0;   ///< passed to the receiver
  std::uint64_t frames_passed_on = 0;  ///< from one neighbour to another
  std::uint64_t frames_dropped = 0;    ///< frames whose route led nowhere, or to a closed link
  std::uint64_t bytes_sent = 0;        ///< to all neighbours, protocol included
  std::uint64_t bytes_received = 0;
  /// Refused connections of other processes, by the number of the Refusal.
  std::array<std::uint64_t, kRefusals> refused{};
  std::size_t most_unproved = 0;  ///< largest number of connections that had not proved the secret

  std::uint64_t refused_for(Refusal cause) const {
    return refused.at(static_cast<std::size_t>(cause));
  }
};

namespace detail::tree {
class Core;
}

/// One process's place in a tree of processes: links to a parent and to children. A process that
/// has both is a relay, which also passes frames on between them. All connections are made by
/// children, so only parents need an address that others can reach.
///
/// **Security.** Both sides of a connection prove that they know the secret (HMAC over fresh nonces
/// of both), the joining one first, so that a stranger gets nothing against which to test guesses;
/// each frame carries an HMAC under a key of its connection and direction, over its number. So
/// without the secret an attacker cannot join; if one injects, changes, repeats or leaves out a
/// frame, the link is closed. Nothing is encrypted, so anyone who sees the connection can read what
/// is sent. Processes that know the secret are trusted, except that none can make another one
/// exceed its memory limits, or end. On networks that you do not control, use a VPN or an ssh
/// tunnel.
///
/// **Threads.** All are lightweight threads of the Runtime. They wait for the following:
/// - one accepts: for a connection, and the end of an unproved connection that it has stopped;
/// - one for each connection shakes hands: for bytes, until handshake_timeout. It then becomes the
///   link's reader, which waits for bytes, lost_after at most, and at last for the link's writer;
/// - one for each link writes: for frames, heartbeat_every at most, and for room in the socket,
///   lost_after at most.
///
/// **Why nothing deadlocks.** No lock is held over a wait, or while the receiver is called; locks
/// are taken in one order: the tree's before those of links and of unproved connections. send() and
/// passing on only append to a queue: a link whose queue is full is closed instead of waited for.
/// So no thread waits for another link's, and the only waits without a limit of time are for
/// threads that have been stopped: a stop ends any wait for a socket or a queue at once.
///
/// **Computing threads.** If a thread computes for longer than lost_after without a wait or a poll,
/// the tree's threads cannot run on that worker. If this may happen on all workers, give the tree
/// its own Runtime, with one worker.
class Tree {
 public:
  /// A tree of this process alone. `runtime` and `receiver` must live until leave() has returned.
  /// \throws std::invalid_argument for an empty secret or invalid limits.
  Tree(runtime::Runtime& runtime, TreeReceiver& receiver, TreeOptions options);

  /// Leaves.
  ~Tree();

  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  /// Accepts children at this address from now on; with port 0, at any free port. Call it once.
  /// Returns the address. \throws std::system_error if the system refuses, std::logic_error if it
  /// already listens or has left.
  runtime::io::Address listen(const runtime::io::Address& address);

  /// Connects to the parent and waits until it has admitted this process, so that send() reaches
  /// it; joined(0) is called at about the same time. Suspends a lightweight caller, blocks an OS
  /// thread. After an error it may be tried again. \throws JoinError if it fails, std::logic_error
  /// if the process has or had a parent, or has left, std::system_error if no thread can be
  /// started.
  void join(const runtime::io::Address& address);

  /// Queues a copy of the frame and returns immediately. For any thread. The frame arrives unless a
  /// link on the way is lost; frames between the same two processes arrive in order. A frame whose
  /// route leads nowhere is dropped at the end of the route, and so is a frame whose two routes
  /// together are longer than longest_route.
  ///
  /// \param to  the way from here to the destination
  /// \param frame  the frame, which the receiver there gets
  /// \param on_behalf_of  the route from here to the process that should be answered instead of
  /// this one
  ///
  /// \throws std::length_error for a frame above largest_frame, std::invalid_argument for an empty
  /// route, which would lead to this process itself.
  void send(const Route& to, const Frame& frame, const Route& on_behalf_of = {});

  /// The current links, in ascending order.
  std::vector<std::uint16_t> neighbours() const;

  /// Sends all queued frames, notifies the neighbours, closes all links, and waits for the tree's
  /// threads. The receiver is not called any more. May be called again, but not in the receiver's
  /// functions.
  void leave() noexcept;

  TreeStatistics statistics() const;

 private:
  std::unique_ptr<detail::tree::Core> core_;
};

}  // namespace kumiko::search
