// The messages to one rank that have not been sent yet.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <kumiko/cluster/detail/function.hpp>
#include <kumiko/cluster/link.hpp>
#include <kumiko/cluster/packing.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>

#include "calls/bodies.hpp"
#include "calls/message.hpp"

namespace kumiko::cluster::detail {

/// Gathers small messages to one rank in a *bundle*. The first message of a bundle is not copied. A
/// message of more than half a bundle is a frame by itself and is not copied either.
///
/// *Invariant.* A message that is added is in the bundle, in a full frame or among the bodies until
/// it is taken, once. The lock protects all members; a thread that holds it does not suspend.
///
/// Any thread adds; only the poller takes, except that any thread may take the bodies for a lost
/// rank.
class Outbox {
 public:
  using Clock = std::chrono::steady_clock;

  /// Adds a message of empty_message() with its payload. Returns true if frames are full, so that
  /// waiting for more messages has no advantage.
  bool add(Frame message, const MessageHeader& header, std::size_t bundle_bytes,
           std::uint64_t program) {
    set_header(message, header);
    const std::lock_guard lock(guard_);
    end_run();
    // Two messages of this size do not fit.
    if (message.size() > bundle_bytes / 2) {
      full_.push_back(sealed(std::move(message), 1, program));
      return true;
    }
    const std::size_t size = message.size() - sizeof(FrameHeader);
    if (Writer::aligned(bundle_.size(), kMessageAlignment) + size > bundle_bytes && messages_ != 0)
      close_bundle(program);
    if (messages_++ == 0) {
      begin_ = looked_;
      bundle_ = std::move(message);
      begin_run(sizeof(FrameHeader), header);
      return !full_.empty();
    }
    const std::size_t end = bundle_.size();
    const std::size_t at = Writer::aligned(end, kMessageAlignment);
    bundle_.resize(at + size);
    std::memset(bundle_.data() + end, 0, at - end);
    std::memcpy(bundle_.data() + at, message.data() + sizeof(FrameHeader), size);
    begin_run(at, header);
    return !full_.empty();
  }

  /// Adds an item of an inline post to the last message, if that is an inline post of the same
  /// function and depth and there is room. Returns true if it has added the item.
  bool add_item(const Function& function, unsigned depth, std::span<const std::byte> item,
                std::size_t bundle_bytes) {
    const std::lock_guard lock(guard_);
    const std::size_t end = bundle_.size();
    if (run_of_ != &function || run_.depth != depth || end + item.size() > bundle_bytes) {
      return false;
    }
    if (run_.amount == 1) bundle_.reserve(bundle_bytes);
    bundle_.resize(end + item.size());
    std::memcpy(bundle_.data() + end, item.data(), item.size());
    ++run_.amount;
    ++items_added_;
    return true;
  }
  /// The number of items that add_item() has added.
  std::uint64_t items_added() {
    const std::lock_guard lock(guard_);
    return items_added_;
  }

  /// A message that announces a body. It gets the number of the body when that is sent.
  struct Announced {
    Frame message;
    Body body;
  };

  /// Adds a body and the message that announces it.
  void add(Frame message, Body body) {
    const std::lock_guard lock(guard_);
    bodies_.push_back({std::move(message), std::move(body)});
  }
  /// Takes all bodies.
  std::vector<Announced> take_bodies() {
    const std::lock_guard lock(guard_);
    return std::exchange(bodies_, {});
  }

  /// Notes that a credit must be returned to the other rank. Returns the number of such credits.
  std::size_t owe_credit(unsigned depth) {
    const std::lock_guard lock(guard_);
    if (owed_.size() <= depth) owed_.resize(depth + 1);
    ++owed_[depth];
    return ++owed_in_all_;
  }
  /// The number of credits to be returned.
  std::size_t owed() {
    const std::lock_guard lock(guard_);
    return owed_in_all_;
  }
  /// Takes the credits to be returned, by depth.
  std::vector<std::size_t> take_owed() {
    const std::lock_guard lock(guard_);
    owed_in_all_ = 0;
    return std::exchange(owed_, {});
  }

  /// The frames to be sent now, and the kinds of messages that remain.
  struct Due {
    std::vector<Frame> frames;
    bool has_bodies;
    bool has_bundle;
  };

  /// Takes the full frames and the bundle, whatever its age.
  Due take_all(std::uint64_t program) {
    const std::lock_guard lock(guard_);
    return take(true, program);
  }

  /// Takes the full frames, and the bundle if it was begun `age` ago. A bundle counts as begun at
  /// the previous look, so that the clock is not read for each bundle.
  Due take_old(Clock::time_point now, Clock::duration age, std::uint64_t program) {
    const std::lock_guard lock(guard_);
    looked_ = now;
    return take(begin_ <= now - age, program);
  }

 private:
  Due take(bool with_bundle, std::uint64_t program) {
    if (messages_ != 0 && with_bundle) close_bundle(program);
    return {std::exchange(full_, {}), !bodies_.empty(), messages_ != 0};
  }

  /// The message at `at`, the last one of the bundle, may be followed by items of its function. All
  /// items of a function have the same size.
  void begin_run(std::size_t at, const MessageHeader& header) {
    if (header.kind != Kind::kInlinePost) return;
    run_of_ = function_of(header.function);
    run_at_ = at;
    run_ = header;
  }

  void end_run() {
    if (run_of_ == nullptr) return;
    run_.size = bundle_.size() - run_at_ - sizeof run_;
    std::memcpy(bundle_.data() + run_at_, &run_, sizeof run_);
    run_of_ = nullptr;
  }

  void close_bundle(std::uint64_t program) {
    end_run();
    full_.push_back(sealed(std::exchange(bundle_, {}), std::exchange(messages_, 0), program));
  }

  runtime::detail::SpinLock guard_;
  Frame bundle_;  ///< guarded; so is the rest
  std::uint32_t messages_ = 0;
  const Function* run_of_ = nullptr;  ///< the function of the last message, if that gets items
  std::size_t run_at_ = 0;            ///< the place of that message in the bundle
  MessageHeader run_;                 ///< its header
  std::uint64_t items_added_ = 0;
  Clock::time_point begin_;   ///< of the bundle, or earlier
  Clock::time_point looked_;  ///< by take_old()
  std::vector<Frame> full_;
  std::vector<Announced> bodies_;
  std::vector<std::size_t> owed_;
  std::size_t owed_in_all_ = 0;
};

}  // namespace kumiko::cluster::detail
