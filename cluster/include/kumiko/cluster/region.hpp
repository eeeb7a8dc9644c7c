// Memory of a rank that other ranks can read and write, without starting a thread there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/detail/rights.hpp>

namespace kumiko::cluster {

/// Identifies memory of a rank. It can be sent like a number and contains no address. After the
/// memory has been withdrawn, reads and writes fail.
struct Region {
  int rank = -1;            ///< the rank that exposes it
  detail::Ticket ticket{};  ///< its place in the list of that rank
  std::uint64_t size = 0;   ///< in bytes
  Rights rights{};          ///< of the other ranks
};

/// Lets other ranks use memory as long as this object exists; the memory must outlive it. A write
/// is visible to a thread after the writer has notified it, for example by a later call.
class ExposedRegion {
 public:
  /// Exposes memory of this rank.
  ExposedRegion(const Here& here, std::span<std::byte> memory, Rights rights);
  ExposedRegion(const ExposedRegion&) = delete;
  ExposedRegion& operator=(const ExposedRegion&) = delete;
  /// Suspends, or blocks an OS thread, until no rank reads or writes. Aborts the program if this
  /// takes more than five seconds because a rank was lost while it wrote.
  ~ExposedRegion();

  /// The name by which other ranks use it.
  const Region& region() const noexcept { return region_; }

 private:
  detail::Node& node_;
  Region region_;
};

/// Copies `into.size()` bytes from `offset` of a region. Suspends, or blocks an OS thread. The
/// other rank serves it between two threads, as an inline function. \throws std::out_of_range if
/// the region is smaller, std::logic_error if it must not be read, RemoteError if it was withdrawn,
/// and as Here::invoke()
void read(const Here& here, const Region& region, std::size_t offset, std::span<std::byte> into);

/// The two events of a write. For a small write, which is copied, the first is ready immediately.
struct Writing {
  Future<void> sent;     ///< the source may be changed
  Future<void> written;  ///< the bytes are in the region
};

/// Copies bytes to `offset` of a region, large writes directly from memory to memory if the link
/// supports it. Suspends until there is a credit. \throws as read(), immediately or through the
/// Futures; then the source must not change until the Runtime has ended.
[[nodiscard]] Writing write(const Here& here, const Region& region, std::size_t offset,
                            std::span<const std::byte> bytes);

}  // namespace kumiko::cluster
