// The collective operations of a rank that are under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <kumiko/cluster/collectives.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>

namespace kumiko::cluster::detail {

/// The operations that wait for their end on this rank, and, on the root of each, the parts that
/// have come. All ranks number their operations alike, from 0.
class Collections {
 public:
  /// The parts of all ranks.
  struct Whole {
    bool disagree = false;  ///< the ranks asked for different operations; no parts then
    Frame parts;            ///< by rank: a size of 8 bytes, the bytes, each from a multiple of 16
  };

  /// Returns the operation's number. \throws the exception of fail()
  std::uint64_t begin(std::unique_ptr<Pending> pending) {
    const std::lock_guard lock(guard_);
    if (next_ >= first_failed_) std::rethrow_exception(failure_);
    waiting_.emplace(next_, std::move(pending));
    return next_++;
  }

  /// The operation of this number, nullptr if it has ended.
  std::unique_ptr<Pending> take(std::uint64_t number) {
    const std::lock_guard lock(guard_);
    const auto place = waiting_.find(number);
    if (place == waiting_.end()) return nullptr;
    std::unique_ptr<Pending> pending = std::move(place->second);
    waiting_.erase(place);
    return pending;
  }

  /// Keeps a rank's part of operation `what`. Returns all of them with the last one.
  std::optional<Whole> take_part(std::uint64_t number, int rank, int ranks, const Collection& what,
                                 std::vector<std::byte> part) {
    Gathered complete;
    {
      const std::lock_guard lock(guard_);
      if (number >= first_failed_) return {};
      Gathered& gathered = gathered_[number];
      if (gathered.parts.empty()) {
        gathered.parts.resize(static_cast<std::size_t>(ranks));
        gathered.has_come.resize(static_cast<std::size_t>(ranks));
        gathered.what = what;
      }
      gathered.disagree = gathered.disagree || gathered.what != what;
      gathered.parts[static_cast<std::size_t>(rank)] = std::move(part);
      gathered.has_come[static_cast<std::size_t>(rank)] = true;
      if (++gathered.count < ranks) return {};
      complete = std::move(gathered);
      gathered_.erase(number);
    }
    Whole whole{complete.disagree, {}};
    if (!whole.disagree) whole.parts = joined(complete.parts);
    return whole;
  }

  /// Marks the ranks that operations wait for: on the rank where the parts come together those
  /// whose parts are missing, on others that one.
  void mark_awaited(std::vector<bool>& ranks, int meeting_place) {
    const std::lock_guard lock(guard_);
    if (!waiting_.empty()) ranks[static_cast<std::size_t>(meeting_place)] = true;
    for (const auto& [number, gathered] : gathered_) {
      for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        if (!gathered.has_come[rank]) ranks[rank] = true;
      }
    }
  }

  /// How many this rank has begun.
  std::uint64_t begun() {
    const std::lock_guard lock(guard_);
    return next_;
  }

  /// No operation from this number on ends any more. Returns those that were under way.
  std::vector<std::unique_ptr<Pending>> fail(std::uint64_t first, std::exception_ptr exception) {
    const std::lock_guard lock(guard_);
    if (first < first_failed_) {
      first_failed_ = first;
      failure_ = std::move(exception);
    }
    std::vector<std::unique_ptr<Pending>> failed;
    const auto begin = waiting_.lower_bound(first);
    for (auto at = begin; at != waiting_.end(); ++at) failed.push_back(std::move(at->second));
    waiting_.erase(begin, waiting_.end());
    gathered_.erase(gathered_.lower_bound(first), gathered_.end());
    return failed;
  }

 private:
  struct Gathered {
    Collection what;
    bool disagree = false;
    int count = 0;
    std::vector<std::vector<std::byte>> parts;
    std::vector<bool> has_come;  ///< by rank
  };

  static Frame joined(const std::vector<std::vector<std::byte>>& parts) {
    Frame frame;
    Writer writer(frame, 0);
    for (const std::vector<std::byte>& part : parts) {
      const std::uint64_t size = part.size();
      writer.append(&size, sizeof size, 16);
      writer.append(part.data(), part.size(), 16);
    }
    return frame;
  }

  runtime::detail::SpinLock guard_;
  std::exception_ptr failure_;  ///< guarded; so is the rest
  std::uint64_t first_failed_ = ~std::uint64_t{0};
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, std::unique_ptr<Pending>> waiting_;
  std::map<std::uint64_t, Gathered> gathered_;
};

}  // namespace kumiko::cluster::detail
