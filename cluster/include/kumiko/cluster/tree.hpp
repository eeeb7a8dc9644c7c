// A tree of processes over TCP, which join and leave while it runs and send each other frames.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <kumiko/cluster/link.hpp>
#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/runtime.hpp>

namespace kumiko::cluster {

/// The way from one process of a tree to another: for each process on the way, the number of the
/// link that leads on from there. 0 is the parent; 1, 2, ... are children in the order in which
/// they joined. A number is never used again while the process lives.
///
/// Routes are relative, as in Tascell: each process on the way takes the first number off the
/// destination, and puts the number of the link by which the frame came in front of the source.
using Route = std::vector<std::uint16_t>;

/// Who is told what a Tree brings. Lightweight threads of the tree's Runtime call these functions,
/// those of one link in turn: joined(), then receive() in the order in which the neighbour sent,
/// then lost(). For different links they may be called at once.
///
/// They may suspend for short, but must not wait for another message, nor call Tree::leave() or
/// Tree::join(). An exception that escapes from receive() or joined() closes the link.
class TreeReceiver {
 public:
  /// A frame has come. `from` is the way back to who sent it, or on whose behalf it was sent.
  virtual void receive(const Route& from, Frame frame) = 0;

  /// A child has joined, or, where `link` is 0, this process has joined its parent.
  virtual void joined(std::uint16_t link) = 0;

  /// Nothing comes from this neighbour any more, nor from a process behind it: from none whose
  /// route begins with this link. Not called for the links that leave() ends. Must not throw.
  virtual void lost(std::uint16_t link, const std::string& reason) = 0;

 protected:
  ~TreeReceiver() = default;
};

/// Why a connection has not become a link of a tree.
enum class Refusal {
  kCannotConnect,     ///< nobody listens there, or the way there is closed
  kNotKumiko,         ///< the other side does not speak the protocol
  kOtherVersion,      ///< the other side speaks another version of the protocol
  kWrongSecret,       ///< the two secrets are not the same
  kOtherBuild,        ///< the two processes do not run the same build of the program
  kFull,              ///< the parent has as many children as it may have
  kTimeout,           ///< the other side has not said enough in time
  kConnectionClosed,  ///< the other side has closed the connection, maybe since it has too many
  kLeft,              ///< this process has left the tree meanwhile
  kPushedOut,         ///< it had not proved itself, and a newer connection needed its place
  kNoResources,       ///< the system refused memory, a stack or a descriptor
};

/// How many values Refusal has.
inline constexpr std::size_t kRefusals = static_cast<std::size_t>(Refusal::kNoResources) + 1;

/// This process could not join a parent. what() says why, and what to do.
class JoinError : public std::runtime_error {
 public:
  JoinError(Refusal cause, const std::string& what) : std::runtime_error(what), cause_(cause) {}

  Refusal cause() const noexcept { return cause_; }

 private:
  Refusal cause_;
};

/// What a Tree must know, and its limits. The secret and the program are the same in all processes
/// of a tree; so should be the limits of frames, routes and times.
struct TreeOptions {
  /// Who knows it may join. Whoever sees the connections can try out guesses: take 16 random bytes
  /// or more, not a word. It is never sent.
  std::string secret;
  /// What must be the same on both sides, such as a hash of the program's build.
  std::uint64_t program = 0;

  std::size_t largest_frame = std::size_t{16} << 20U;  ///< in bytes
  std::size_t longest_route = 32;                      ///< links on the way there and back again
  std::size_t most_unsent_bytes = std::size_t{64} << 20U;  ///< of a link; beyond them it is closed
  std::size_t most_children = 1024;                        ///< at a time
  /// Connections at a time that have not proved that they know the secret; at most half as many as
  /// the process may have open files (ulimit -n). To make room for one more, the tree closes the
  /// oldest that has not greeted while these hold half of the places, else the oldest that has. It
  /// does the same when the system has no descriptor left.
  std::size_t most_unproved = 512;
  std::chrono::milliseconds handshake_timeout{5000};  ///< from the connection to the last word
  std::chrono::milliseconds heartbeat_every{1000};    ///< when nothing else is sent
  /// A neighbour of which not a byte came for so long is lost; so is one that took none.
  std::chrono::milliseconds lost_after{10'000};
  /// How long leave() waits for neighbours to take what was sent before.
  std::chrono::milliseconds leave_within{1000};
};

/// What a tree has done so far at this process.
struct TreeStatistics {
  std::uint64_t frames_sent = 0;       ///< by send(), without heartbeats
  std::uint64_t frames_received = 0;   ///< told to the receiver
  std::uint64_t frames_passed_on = 0;  ///< from one neighbour to another
  std::uint64_t frames_dropped = 0;    ///< whose route led nowhere, or to a link that was closed
  std::uint64_t bytes_sent = 0;        ///< to all neighbours, protocol included
  std::uint64_t bytes_received = 0;
  /// Connections of others that were refused, by the number of the Refusal.
  std::array<std::uint64_t, kRefusals> refused{};
  std::size_t most_unproved = 0;  ///< connections at a time that had not proved the secret

  std::uint64_t refused_for(Refusal cause) const {
    return refused.at(static_cast<std::size_t>(cause));
  }
};

namespace detail::tree {
class Core;
}

/// One process's place in a tree of processes: links to a parent and to children. A process that
/// has both also passes frames on between them: a relay. Everybody connects outward, so only
/// parents need an address that others can reach.
///
/// **What it guards against.** Both sides of a connection prove that they know the secret (HMAC
/// over fresh nonces of both), the joining one first, so that a stranger learns nothing to try
/// guesses on; each frame carries an HMAC under a key of its connection and direction, over its
/// number. So nobody without the secret can join, nor inject, change, repeat or leave out a frame
/// without the link being closed. What is sent can be read by whoever sees the connection: nothing
/// is encrypted. Processes that know the secret are trusted, except that none can make another one
/// allocate beyond the limits, or end. Over networks of others use a VPN or a tunnel of ssh.
///
/// **Threads**, all lightweight ones of the Runtime, and what each waits for:
/// - one accepts: for a connection, and the end of an unproved connection that it has stopped;
/// - one for each connection shakes hands: for bytes, until handshake_timeout. It then becomes the
///   link's reader, which waits for bytes, lost_after at most, and at last for the link's writer;
/// - one for each link writes: for frames, heartbeat_every at most, and for room in the socket,
///   lost_after at most.
///
/// **Why nothing deadlocks.** No lock is held over a wait, or while the receiver is called; locks
/// are taken in one order, the tree's before a link's. send() and passing on only append to a
/// queue: a link whose queue is full is closed instead of waited for. So no thread waits for
/// another link's, and the only waits without a limit of time are for threads that have been
/// stopped: a stop ends any wait for a socket or a queue at once.
///
/// **Computing threads.** A thread that computes for longer than lost_after without a wait or a
/// poll keeps the tree's threads from their turn on that worker. Where all workers may compute so,
/// give the tree a Runtime of its own, with one worker.
class Tree {
 public:
  /// A tree of this process alone. `runtime` and `receiver` must live until leave() has returned.
  /// \throws std::invalid_argument for an empty secret, or limits that cannot be.
  Tree(runtime::Runtime& runtime, TreeReceiver& receiver, TreeOptions options);

  /// Leaves.
  ~Tree();

  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  /// Accepts children at this address from now on; port 0 stands for any free one. Once. Returns
  /// the address. \throws std::system_error if the system refuses, std::logic_error if it listens
  /// already or has left.
  runtime::io::Address listen(const runtime::io::Address& address);

  /// Connects to the parent and waits until it has let this process in, so that send() reaches it;
  /// joined(0) is called about then. Suspends a lightweight caller, blocks an OS thread. After an
  /// error it may be tried again. \throws JoinError if it fails, std::logic_error if the process
  /// has or had a parent, or has left, std::system_error if no thread can be started.
  void join(const runtime::io::Address& address);

  /// Queues a copy of the frame and returns at once, on any thread. It arrives, unless a link on
  /// the way is lost; frames between the same two processes do so in order. A frame whose route
  /// leads nowhere is dropped where that shows; so is one whose two routes are together longer than
  /// longest_route.
  ///
  /// \param to            the way from here to the destination
  /// \param frame         what the receiver there is told
  /// \param on_behalf_of  the way from here to who is to be answered instead of this process
  ///
  /// \throws std::length_error for a frame above largest_frame, std::invalid_argument for an empty
  /// route, which would lead to this process itself.
  void send(const Route& to, const Frame& frame, const Route& on_behalf_of = {});

  /// The links that there are now, in ascending order.
  std::vector<std::uint16_t> neighbours() const;

  /// Sends what was queued before, tells neighbours, closes all, and waits for the tree's threads:
  /// the receiver is not called any more. May be called again. Not from the receiver's functions.
  void leave() noexcept;

  TreeStatistics statistics() const;

 private:
  std::unique_ptr<detail::tree::Core> core_;
};

}  // namespace kumiko::cluster
