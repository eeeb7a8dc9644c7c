// The collective operations that are in progress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <kumiko/cluster/collectives.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>

#include "calls/endpoint.hpp"
#include "calls/message.hpp"
#include "calls/sender.hpp"

namespace kumiko::cluster::detail {

/// Collective operations: gathers the parts of all ranks on rank kCollector, and sends them from
/// there to the ranks that get them. All ranks number their operations alike, from 0.
///
/// *Invariant.* An operation is in waiting_ from its begin on this rank until one thread takes it
/// out, which ends it; on rank kCollector it is in gathered_ from its first part to its last one.
/// None with a number from first_failed_ on is in either. The lock protects all members; no thread
/// suspends or ends an operation while it holds the lock.
///
/// Any thread begins operations and lets them fail; the poller takes parts and results. On rank
/// kCollector the thread that begins an operation also takes this rank's part.
class Collections {
 public:
  Collections(Endpoint& endpoint, Sender& sender) noexcept : endpoint_(endpoint), sender_(sender) {}

  /// Begins an operation with the part that `pack` writes. `pending` gets the parts by rank, or
  /// nothing on ranks that do not get them. \throws the exception of fail()
  void begin(const Collection& what, Packer pack, std::unique_ptr<Pending> pending);

  /// All operations from this number on end by an exception, now and later.
  void fail(std::uint64_t first, const std::exception_ptr& exception);

  /// The number of operations that this rank has begun.
  std::uint64_t begun();

  /// Marks the ranks that operations wait for: on rank kCollector the ranks whose parts are
  /// missing, on others rank kCollector.
  void mark_awaited(std::vector<bool>& ranks);

  // The poller's.

  /// Takes a rank's part. Sends the parts to all ranks if it is the last one.
  void take_part(int source, const MessageHeader& header, std::span<const std::byte> part);

  /// Ends an operation with its result.
  void finish(const IncomingMessage& message);

 private:
  struct Gathered {
    Collection what;
    bool disagree = false;  ///< the ranks asked for different operations
    int count = 0;
    std::vector<std::vector<std::byte>> parts;
    std::vector<bool> has_come;  ///< by rank
  };

  std::uint64_t add(std::unique_ptr<Pending> pending);
  std::unique_ptr<Pending> take(std::uint64_t number);
  std::optional<Gathered> add_part(std::uint64_t number, int rank, const Collection& what,
                                   std::vector<std::byte> part);

  Endpoint& endpoint_;
  Sender& sender_;
  runtime::detail::SpinLock guard_;
  std::exception_ptr exception_;  ///< guarded; so are the other members below
  std::uint64_t first_failed_ = ~std::uint64_t{0};
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, std::unique_ptr<Pending>> waiting_;
  std::map<std::uint64_t, Gathered> gathered_;
};

}  // namespace kumiko::cluster::detail
