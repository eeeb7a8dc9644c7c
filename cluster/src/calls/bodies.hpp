// Bodies of writes: bytes that the link sends from their place, apart from the frames.
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

namespace kumiko::cluster::detail {

/// The bytes of a write, which are sent from their place.
struct Body {
  std::span<const std::byte> bytes;
  std::unique_ptr<Pending> sent;  ///< finished once the bytes may be changed
};

/// Ends what waits for a Body.
inline void finish(std::unique_ptr<Pending> sent, std::exception_ptr exception = nullptr) {
  if (sent != nullptr) sent.release()->finish(failure(std::move(exception)));
}

/// The bodies that a link sends to one rank, by their numbers, which count from 0.
///
/// *Invariant.* Each body is ended once, by the thread that takes it out. The lock protects all
/// members. Any thread may use the object.
class BodiesInTransit {
 public:
  /// Returns the body's number.
  std::uint64_t add(std::unique_ptr<Pending> sent) {
    const std::lock_guard lock(guard_);
    bodies_.emplace_back(begun_, std::move(sent));
    return begun_++;
  }

  /// Nothing if the body has been taken.
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

}  // namespace kumiko::cluster::detail
