// The writes to regions of this rank whose bodies have not arrived yet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <kumiko/cluster/link.hpp>

#include "calls/message.hpp"
#include "calls/regions.hpp"

namespace kumiko::cluster::detail {

/// A write whose body comes to a region, or to memory that is not read if the region must not be
/// written.
struct IncomingWrite {
  int source = -1;
  std::uint64_t number = 0;      ///< of the body
  MessageHeader header{};        ///< of the message that announced it
  Ticket region{};               ///< in use until the body has come, unless there is an exception
  std::exception_ptr failure{};  ///< the reason why the region is not written
  bool is_orphan = false;        ///< its source is lost
  Frame unread{};
};

/// The writes whose bodies are on their way to this rank. Each keeps its region in use, so that the
/// region's memory is not reused before the link has stopped writing to it.
///
/// *Invariant.* A write is in the list from its announcement until the link says that the body has
/// been taken. Only the poller uses the object, and the link may write to the memory of its writes;
/// so it must outlive the link.
class IncomingWrites {
 public:
  explicit IncomingWrites(Regions& regions) noexcept : regions_(regions) {}

  bool empty() const noexcept { return writes_.empty(); }

  /// Adds a write. Returns the place of its body.
  std::span<std::byte> begin(int source, const MessageHeader& header, const Access& access) {
    IncomingWrite write{
        .source = source, .number = header.amount, .header = header, .region = access.region};
    std::span<std::byte> memory;
    try {
      memory = regions_.begin_use(access.region, Rights::kWrite, access.offset, access.size);
    } catch (const std::logic_error&) {
      write.failure = std::current_exception();
      write.unread.resize(access.size);
      memory = write.unread;
    }
    writes_.push_back(std::move(write));
    return memory;
  }

  /// The body of this number has been taken. Returns its write, if there was one.
  std::optional<IncomingWrite> end(int source, std::uint64_t number) {
    const auto found = std::ranges::find_if(writes_, [&](const IncomingWrite& write) {
      return write.source == source && write.number == number;
    });
    if (found == writes_.end()) return {};
    IncomingWrite write = std::move(*found);
    writes_.erase(found);
    if (write.failure == nullptr) regions_.end_use(write.region, write.is_orphan);
    return write;
  }

  /// The rank is lost, so its writes may never end.
  void orphan(int source) {
    for (IncomingWrite& write : writes_) {
      if (write.source != source || write.failure != nullptr) continue;
      write.is_orphan = true;
      regions_.orphan(write.region);
    }
  }

  void mark_awaited(std::vector<bool>& ranks) const {
    for (const IncomingWrite& write : writes_) {
      ranks[static_cast<std::size_t>(write.source)] = true;
    }
  }

 private:
  Regions& regions_;
  std::vector<IncomingWrite> writes_;
};

}  // namespace kumiko::cluster::detail
