// Memory of other ranks: what is read is what is there, and nothing else can be reached.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/cluster/collectives.hpp>
#include <kumiko/cluster/region.hpp>
#include <kumiko/runtime/this_thread.hpp>

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

TEST(RegionTest, GivenARegionWhenWrittenThenItsRankSeesWhatTheWriterSaysIsThere) {
  Ranks({.ranks = 3}).run([](Cluster& cluster) {
    const Here here = cluster.here();
    Shared shared(cluster, 300, Rights::kReadWrite);
    std::vector<double> mine(100, -here.rank() - 1.0);
    Writing writing =
        write(here, shared.region(), here.rank() * 100 * sizeof(double), bytes_of(mine));
    writing.sent.get();
    mine.assign(100, 77);
    writing.written.get();
    barrier(here).get();
    for (std::size_t i = 0; i < shared.values().size(); ++i) {
      EXPECT_EQ(shared.values()[i], -static_cast<double>(i / 100) - 1) << i;
    }
  });
}

/// Numbers that tell whose they are, of which round, and where.
std::vector<std::uint64_t> marked(int rank, int round, std::size_t count) {
  std::vector<std::uint64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(),
            (static_cast<std::uint64_t>(rank) << 40) + (static_cast<std::uint64_t>(round) << 30));
  return numbers;
}

TEST(RegionTest, GivenWritesOfAllSizesInDisorderThenEachComesWholeThoughItsSourceChangesOnceSent) {
  constexpr std::size_t kCount = 20000;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Ranks ranks({.ranks = 3,
                 .workers = 1 + static_cast<int>(seed % 2),
                 .net = {.longest_delay = std::chrono::microseconds(200 * (seed % 3)),
                         .reorders = true,
                         .seed = seed},
                 .cluster = {.window = 4}});
    ranks.run([&](Cluster& cluster) {
      const Here here = cluster.here();
      const auto parts = static_cast<std::size_t>(here.size());
      std::vector<std::uint64_t> own(kCount * parts);
      const ExposedRegion exposed(here, bytes_of(own), Rights::kWrite);
      const std::vector<Region> regions = all_gather(here, exposed.region()).get();
      const auto mine = static_cast<std::size_t>(here.rank()) * kCount;
      for (int round = 1; round <= 6; ++round) {
        const std::size_t count =
            std::array<std::size_t, 6>{1, 500, 512, 513, 4096, kCount}[(round + seed) % 6];
        std::vector<std::vector<std::uint64_t>> sources(parts, marked(here.rank(), round, count));
        std::vector<Writing> writings;
        for (std::size_t to = 0; to < parts; ++to) {
          writings.push_back(write(here, regions[to], mine * 8, bytes_of(sources[to])));
        }
        for (std::size_t to = 0; to < parts; ++to) {
          writings[to].sent.get();
          sources[to].assign(count, 0);
        }
        for (Writing& writing : writings) writing.written.get();
        barrier(here).get();
        for (std::size_t from = 0; from < parts; ++from) {
          const auto expected = marked(static_cast<int>(from), round, count);
          EXPECT_TRUE(std::equal(expected.begin(), expected.end(), own.begin() + from * kCount))
              << "seed " << seed << ", round " << round << ", from " << from;
        }
        barrier(here).get();
      }
    });
  }
}

TEST(RegionTest, GivenWritesWhenTheRegionIsWithdrawnThenItsMemoryIsLeftAlone) {
  constexpr std::size_t kCount = 10000;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Ranks ranks(
        {.ranks = 2,
         .net = {.longest_delay = std::chrono::microseconds(300), .reorders = true, .seed = seed}});
    ranks.run([&](Cluster& cluster) {
      const Here here = cluster.here();
      std::vector<std::uint64_t> own(here.rank() == 0 ? kCount : 0);
      std::optional<ExposedRegion> exposed;
      if (here.rank() == 0) exposed.emplace(here, bytes_of(own), Rights::kWrite);
      const Region region = broadcast(here, exposed ? exposed->region() : Region{}).get();
      if (here.rank() == 0) {
        runtime::this_thread::sleep_for(std::chrono::microseconds(100 * (seed % 5)));
        exposed.reset();
        own.assign(kCount, 7);
        barrier(here).get();
        barrier(here).get();
        EXPECT_EQ(own, std::vector<std::uint64_t>(kCount, 7));
        return;
      }
      std::vector<std::uint64_t> source(kCount, 1);
      std::vector<Writing> writings;
      for (int i = 0; i < 20; ++i) writings.push_back(write(here, region, 0, bytes_of(source)));
      for (Writing& writing : writings) {
        writing.sent.get();
        try {
          writing.written.get();
        } catch (const RemoteError&) {
          // It came too late.
        }
      }
      barrier(here).get();  // it has been withdrawn
      EXPECT_THROW(write(here, region, 0, bytes_of(source)).written.get(), RemoteError);
      barrier(here).get();
    });
  }
}

TEST(RegionTest, GivenWritesWhenTheWriterVanishesThenItsTargetGetsItsMemoryBack) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    // Longer than the Runtimes, for a rank is lost.
    std::array<std::vector<std::uint64_t>, 2> both;
    both.fill(std::vector<std::uint64_t>(10000, 3));
    Ranks ranks(
        {.ranks = 2,
         .net = {.longest_delay = std::chrono::microseconds(500), .reorders = true, .seed = seed}});
    ranks.run([&](Cluster& cluster) {
      const Here here = cluster.here();
      std::vector<std::uint64_t>& numbers = both[static_cast<std::size_t>(here.rank())];
      std::optional<ExposedRegion> exposed;
      if (here.rank() == 0) exposed.emplace(here, bytes_of(numbers), Rights::kWrite);
      const Region region = broadcast(here, exposed ? exposed->region() : Region{}).get();
      if (here.rank() == 0) {
        while (!here.is_lost(1)) runtime::this_thread::sleep_for(std::chrono::milliseconds(1));
        exposed.reset();  // which waits for who writes
        return;
      }
      std::vector<Writing> writings;
      for (int i = 0; i < 20; ++i) writings.push_back(write(here, region, 0, bytes_of(numbers)));
      ranks.net().vanish(1);
      cluster.abandon("");
      for (Writing& writing : writings) {
        try {
          writing.sent.get();
          writing.written.get();
        } catch (const RankLost&) {
          // It has vanished before.
        }
      }
    });
  }
}

TEST(RegionTest, GivenWritesWhenTheirTargetVanishesThenBothEndsOfEachEnd) {
  std::array<std::vector<std::uint64_t>, 2> both;  // longer than the Runtimes
  both.fill(std::vector<std::uint64_t>(10000, 3));
  Ranks ranks({.ranks = 2, .net = {.longest_delay = std::chrono::microseconds(500)}});
  ranks.run([&](Cluster& cluster) {
    const Here here = cluster.here();
    std::vector<std::uint64_t>& numbers = both[static_cast<std::size_t>(here.rank())];
    std::optional<ExposedRegion> exposed;
    if (here.rank() == 1) exposed.emplace(here, bytes_of(numbers), Rights::kWrite);
    const Region region = broadcast(here, exposed ? exposed->region() : Region{}, 1).get();
    if (here.rank() == 1) {
      ranks.net().vanish(1);
      return cluster.abandon("");
    }
    std::vector<Writing> writings;
    try {
      for (int i = 0; i < 40; ++i) writings.push_back(write(here, region, 0, bytes_of(numbers)));
    } catch (const RankLost&) {
      // There are as many as there are.
    }
    while (!here.is_lost(1)) runtime::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (Writing& writing : writings) {
      try {
        writing.sent.get();
        writing.written.get();
      } catch (const RankLost&) {
        // It was too late.
      }
    }
    EXPECT_THROW(static_cast<void>(write(here, region, 0, bytes_of(numbers))), RankLost);
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
    // The rank looks too: a region may be said to be more than it is.
    if (here.rank() == 1) {
      Region forged = readable.region();
      forged.rights = Rights::kReadWrite;
      forged.size = 1000;
      EXPECT_THROW(write(here, forged, 0, bytes_of(two)).written.get(), RemoteError);
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
