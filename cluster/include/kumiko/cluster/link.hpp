// Interface of links, which carry frames between the processes of a cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kumiko::cluster {

namespace detail {

/// Leaves new elements uninitialised, because they are written immediately.
template <class T>
struct LeaveUninitialised : std::allocator<T> {
  template <class Other>
  struct rebind {  // NOLINT(readability-identifier-naming): the standard's name
    using other = LeaveUninitialised<Other>;
  };
  /// Constructs an element, without a value if there are no arguments.
  /// \{
  template <class Other>
  void construct(Other* place) noexcept {
    ::new (static_cast<void*>(place)) Other;
  }
  template <class Other, class... Arguments>
  void construct(Other* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) Other(std::forward<Arguments>(arguments)...);
  }
  /// \}
};

}  // namespace detail

/// Bytes that are sent as a whole. They begin at a multiple of 16. resize() leaves new bytes
/// uninitialised.
using Frame = std::vector<std::byte, detail::LeaveUninitialised<std::byte>>;

/// The receiver of a Link's events.
class Receiver {
 public:
  /// A frame has come from `source`.
  virtual void receive(int source, Frame frame) = 0;

  /// The rank is lost: nothing more arrives from it, and nothing reaches it.
  virtual void lost(int rank, const std::string& reason) = 0;

  /// The body has been sent; its bytes may be changed.
  virtual void body_sent(int rank, std::uint64_t number) = 0;

  /// The body has been received at the address given to take_body(), or nothing more will be
  /// written there.
  virtual void body_taken(int source, std::uint64_t number) = 0;

 protected:
  ~Receiver() = default;
};

/// One rank's connection to the others. It delivers every frame once, in any order, unless one of
/// the two ranks is lost, and reports lost ranks. It does not limit what it receives; the Cluster's
/// credits do.
///
/// The functions that are not const are called by one OS thread at a time, never on a lightweight
/// thread's stack. None of the functions waits for another rank; the destructor may.
class Link {
 public:
  virtual ~Link() = default;

  /// This rank's number, from 0.
  virtual int rank() const noexcept = 0;
  /// The number of ranks.
  virtual int size() const noexcept = 0;

  /// Sends a frame to another rank. Frames to a rank that is lost are dropped.
  virtual void send(int rank, Frame frame) = 0;

  // Bodies: bytes that are sent from their place and received at their final place. The sender
  // numbers a body and announces it to the receiver by a frame. Neither has to wait for the other.

  /// Sends these bytes, which must not change until Receiver::body_sent(), or, if the rank is lost,
  /// as long as the link exists.
  virtual void send_body(int rank, std::uint64_t number, std::span<const std::byte> bytes) = 0;

  /// Receives the body of this number from `source`, with as many bytes as the span. No other code
  /// may use the memory until Receiver::body_taken().
  virtual void take_body(int source, std::uint64_t number, std::span<std::byte> into) = 0;

  /// A rank is lost: ends the bodies to it and from it, as far as the link can end them. For bodies
  /// from it, Receiver::body_taken() is called.
  virtual void give_up_bodies(int source) = 0;

  /// Passes events to `receiver`, a limited number of frames at a time. Returns their number.
  virtual int poll(Receiver& receiver) = 0;

  /// True if poll() would report an event; called before a worker sleeps, for a link without a
  /// descriptor.
  virtual bool look() noexcept { return true; }

  /// A descriptor that is readable when poll() has events; -1 if there is none, so that it must be
  /// polled at intervals.
  virtual int pollable() const noexcept = 0;

  /// True if there are frames in transit that make progress only while poll() is called.
  virtual bool is_transferring() const noexcept { return false; }

  // The end: one of the following two, or neither if a link was never used.

  /// No more frames are expected or sent; all other ranks call it too. Then poll() is called until
  /// is_closed().
  virtual void close() noexcept {}
  /// True once all ranks have closed their links.
  virtual bool is_closed() const noexcept { return true; }

  /// This rank leaves without waiting for the others, for this reason. No function is called
  /// afterwards. If ranks cannot end separately, the other ranks end with this rank's process,
  /// which then prints the reason, if there is one.
  virtual void abandon(std::string_view /*reason*/) noexcept {}
};

}  // namespace kumiko::cluster
