// What carries frames between the processes of a cluster.
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

/// Leaves new elements as they are, since they are written right away.
template <class T>
struct LeaveUninitialised : std::allocator<T> {
  template <class Other>
  struct rebind {  // NOLINT(readability-identifier-naming): the standard's name
    using other = LeaveUninitialised<Other>;
  };
  template <class Other>
  void construct(Other* place) noexcept {
    ::new (static_cast<void*>(place)) Other;
  }
  template <class Other, class... Arguments>
  void construct(Other* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) Other(std::forward<Arguments>(arguments)...);
  }
};

}  // namespace detail

/// Bytes that travel as a whole. They begin at a multiple of 16. What resize() adds is not set.
using Frame = std::vector<std::byte, detail::LeaveUninitialised<std::byte>>;

/// Who is told what a Link brings.
class Receiver {
 public:
  virtual void receive(int source, Frame frame) = 0;

  /// Nothing comes from this rank any more, nor does anything reach it.
  virtual void lost(int rank, const std::string& reason) = 0;

  /// The bytes of this body to a rank may be changed.
  virtual void body_sent(int rank, std::uint64_t number) = 0;

  /// This body from a rank lies where take_body() has said; or nothing is written there any more.
  virtual void body_taken(int source, std::uint64_t number) = 0;

 protected:
  ~Receiver() = default;
};

/// One rank's connection to the others. It delivers every frame once, unless one of the two ranks
/// is lost, in any order, and tells of ranks that are lost. It takes whatever comes;
/// Cluster's credits bound that.
///
/// Only one OS thread at a time calls the functions that are not const, never on a lightweight
/// thread's stack. None of the functions waits for another rank; the destructor may.
class Link {
 public:
  virtual ~Link() = default;

  /// This rank's number, from 0, and how many ranks there are.
  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;

  /// Sends a frame to another rank. Frames to a rank that is lost are dropped.
  virtual void send(int rank, Frame frame) = 0;

  // Bodies: bytes that are sent from where they lie and received where they are to lie. Who sends
  // one numbers it, and tells the receiver by a frame. None has to wait for the other.

  /// Sends these bytes, which stay as they are until Receiver::body_sent(), or, if the rank is
  /// lost, as long as the link lives.
  virtual void send_body(int rank, std::uint64_t number, std::span<const std::byte> bytes) = 0;

  /// Receives the body of as many bytes that `source` has given this number. Nobody else uses the
  /// memory until Receiver::body_taken().
  virtual void take_body(int source, std::uint64_t number, std::span<std::byte> into) = 0;

  /// A rank is lost: the bodies to it and from it end, as far as the link can end them. Of the
  /// latter Receiver::body_taken() tells.
  virtual void give_up_bodies(int source) = 0;

  /// Tells `receiver` what has come, some frames at most. Returns how many there were.
  virtual int poll(Receiver& receiver) = 0;

  /// Whether poll() would tell something; asked before a worker sleeps of a link without a
  /// descriptor.
  virtual bool look() noexcept { return true; }

  /// A descriptor that poll(2) finds readable when poll() has something to tell; -1 if there is
  /// none, so that only the time can tell when to poll.
  virtual int pollable() const noexcept = 0;

  /// Whether frames are on their way that go on only while poll() is called.
  virtual bool is_transferring() const noexcept { return false; }

  // The end: one of the two, or neither where a link was never used.

  /// Nothing is to come any more, nor is anything sent; the other ranks say the same. poll() is
  /// called until is_closed().
  virtual void close() noexcept {}
  virtual bool is_closed() const noexcept { return true; }

  /// This rank leaves the others where they are, for this reason. Nothing is called any more. Where
  /// ranks cannot end without each other, the others end with this one's process, which then says
  /// why, if there is a reason.
  virtual void abandon(std::string_view /*reason*/) noexcept {}
};

}  // namespace kumiko::cluster
