// Memory of other ranks: what is read is what is there, and nothing else can be reached.
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/cluster/collectives.hpp>
#include <kumiko/cluster/region.hpp>

#include "support.hpp"

namespace kumiko::cluster {
namespace {

template <class T>
std::span<std::byte> bytes_of(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

/// What rank 0 exposes, known to all ranks by a broadcast.
class Shared {
 public:
  Shared(Cluster& cluster, std::size_t count, Rights rights)
      : values_(cluster.rank() == 0 ? count : 0) {
    std::iota(values_.begin(), values_.end(), 0.0);
    if (cluster.rank() == 0) {
      exposed_ = std::make_unique<ExposedRegion>(cluster.here(), bytes_of(values_), rights);
    }
    region_ = broadcast(cluster.here(), exposed_ ? exposed_->region() : Region{}).get();
  }

  std::vector<double>& values() { return values_; }
  const Region& region() const { return region_; }
  void withdraw() { exposed_.reset(); }

 private:
  std::vector<double> values_;
  std::unique_ptr<ExposedRegion> exposed_;
  Region region_;
};

TEST(RegionTest, GivenARegionWhenReadThenItsBytesArrive) {
  Ranks({.ranks = 3}).run([](Cluster& cluster) {
    const Here here = cluster.here();
    Shared shared(cluster, 40000, Rights::kRead);
    std::vector<double> part(30000);
    read(here, shared.region(), 100 * sizeof(double), bytes_of(part));
    EXPECT_EQ(part.front(), 100);
    EXPECT_EQ(part.back(), 30099);
    read(here, shared.region(), 40000 * sizeof(double), {});
    barrier(here).get();
  });
}

TEST(RegionTest, GivenARegionWhenWrittenThenItsOwnerSeesWhatTheWriterSaysIsThere) {
  Ranks({.ranks = 3}).run([](Cluster& cluster) {
    const Here here = cluster.here();
    Shared shared(cluster, 300, Rights::kReadWrite);
    std::vector<double> mine(100, -here.rank() - 1.0);
    Future<void> done =
        write(here, shared.region(), here.rank() * 100 * sizeof(double), bytes_of(mine));
    mine.assign(100, 77);  // the source may be changed
    done.get();
    barrier(here).get();
    for (std::size_t i = 0; i < shared.values().size(); ++i) {
      EXPECT_EQ(shared.values()[i], -static_cast<double>(i / 100) - 1) << i;
    }
  });
}

TEST(RegionTest, GivenBoundsAndRightsThenNothingElseIsReached) {
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    const Here here = cluster.here();
    Shared readable(cluster, 10, Rights::kRead);
    Shared writable(cluster, 10, Rights::kWrite);
    std::vector<double> two(2);
    EXPECT_THROW(read(here, readable.region(), 9 * sizeof(double), bytes_of(two)),
                 std::out_of_range);
    EXPECT_THROW(read(here, readable.region(), ~std::size_t{0}, bytes_of(two)), std::out_of_range);
    EXPECT_THROW(read(here, writable.region(), 0, bytes_of(two)), std::logic_error);
    EXPECT_THROW(static_cast<void>(write(here, readable.region(), 0, bytes_of(two))),
                 std::logic_error);
    // The owner looks too: a region may be said to be more than it is.
    if (here.rank() == 1) {
      Region forged = readable.region();
      forged.rights = Rights::kReadWrite;
      forged.size = 1000;
      EXPECT_THROW(write(here, forged, 0, bytes_of(two)).get(), RemoteError);
      EXPECT_THROW(read(here, forged, 500, bytes_of(two)), RemoteError);
      forged.ticket.slot = 99;
      EXPECT_THROW(read(here, forged, 0, bytes_of(two)), RemoteError);
    }
    barrier(here).get();
    readable.withdraw();
    barrier(here).get();
    if (here.rank() == 1) {
      EXPECT_THROW(read(here, readable.region(), 0, bytes_of(two)), RemoteError);
    }
    barrier(here).get();
  });
}

}  // namespace
}  // namespace kumiko::cluster
