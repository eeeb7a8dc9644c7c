// Bytes that go from the memory of one rank to that of another, beside the frames.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <kumiko/cluster/detail/answer.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>

#include "calls/message.hpp"

namespace kumiko::cluster::detail {

/// What is sent from where it lies.
struct Body {
  std::span<const std::byte> bytes;
  std::unique_ptr<Pending> sent;  ///< finished once the bytes may be changed
};

/// Ends what waits for a Body.
inline void finish(std::unique_ptr<Pending> sent, std::exception_ptr exception = nullptr) {
  if (sent != nullptr) sent.release()->finish({nullptr, nullptr, {}, std::move(exception)});
}

/// The bodies that a link sends to one rank. Whoever takes one out ends it.
class BodiesUnderWay {
 public:
  /// The numbers of a rank's bodies to another one count from 0.
  std::uint64_t add(std::unique_ptr<Pending> sent) {
    const std::lock_guard lock(guard_);
    bodies_.emplace_back(begun_, std::move(sent));
    return begun_++;
  }

  /// Nothing if somebody has taken it.
  std::unique_ptr<Pending> take(std::uint64_t number) {
    const std::lock_guard lock(guard_);
    const auto found = std::ranges::find(bodies_, number, &Numbered::first);
    if (found == bodies_.end()) return nullptr;
    std::unique_ptr<Pending> sent = std::move(found->second);
    bodies_.erase(found);
    return sent;
  }

  std::vector<std::unique_ptr<Pending>> take_all() {
    const std::lock_guard lock(guard_);
    std::vector<std::unique_ptr<Pending>> all;
    for (Numbered& body : bodies_) all.push_back(std::move(body.second));
    bodies_.clear();
    return all;
  }

 private:
  using Numbered = std::pair<std::uint64_t, std::unique_ptr<Pending>>;

  runtime::detail::SpinLock guard_;
  std::vector<Numbered> bodies_;  ///< guarded; in the order of their numbers
  std::uint64_t begun_ = 0;       ///< guarded
};

/// A body that comes to a region, or, if that cannot be written, to memory that nobody reads.
struct Landing {
  int source = -1;
  std::uint64_t number = 0;
  MessageHeader header{};        ///< of the write, whose answer it gets
  Ticket region{};               ///< used until then, unless it has failed
  std::exception_ptr failure{};  ///< why the region is not written
  bool is_orphan = false;        ///< its source is lost
  Frame unread{};
};

}  // namespace kumiko::cluster::detail
