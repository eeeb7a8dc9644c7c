// Contract: what a checkpoint gives back is what was saved, and no byte of it can be lost or change
// without being noticed.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include <kumiko/io/checkpoint.hpp>

#include "checkpoint/checkpoint_views.hpp"
#include "hdf5/hdf5_source.hpp"
#include "hdf5/seal.hpp"
#include "older_layout.hpp"
#include "output_fixture.hpp"
#include "state_fixture.hpp"

namespace kumiko::io::test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

class CheckpointTest : public OutputTest {
 protected:
  void SetUp() override {
    OutputTest::SetUp();
    write_with(file(), checkpoint_, hierarchy_->geometry());
  }

  std::filesystem::path file() const { return folder_ / "checkpoint_000007.hdf"; }
  /// Whether values are read or left there.
  std::string refusal() const {
    std::string refused = refusal_of<CheckpointError>([&] { read_checkpoint(file()); });
    EXPECT_EQ(refusal_of<CheckpointError>([&] { open_checkpoint(file()); }), refused);
    return refused;
  }
  /// Changes a patch's place in the file, which gets another seal.
  void change_box(const char* path, std::size_t slot, const Corners& box) const {
    {
      const hdf5::Object whole(H5Fopen(file().c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
      const hdf5::Object dataset(H5Dopen2(whole.id(), path, H5P_DEFAULT), H5Dclose);
      const hdf5::Object type = hdf5::make_integers_type(kCornerNames);
      std::vector<Corners> boxes(20);
      hdf5::Source::read(dataset, type.id(), boxes.data());
      boxes.at(slot) = box;
      hdf5::require(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, boxes.data()));
    }
    older::seal(file());
  }

  std::unique_ptr<amr::Hierarchy> hierarchy_ = example_hierarchy();
  Checkpoint checkpoint_ = example_checkpoint(*hierarchy_);
};

void expect_equal(const amr::WorkCounters& a, const amr::WorkCounters& b) {
  EXPECT_EQ(a.updates_per_level, b.updates_per_level);
  ASSERT_EQ(a.workers.size(), b.workers.size());
  for (std::size_t worker = 0; worker < a.workers.size(); ++worker) {
    EXPECT_EQ(a.workers[worker].updates, b.workers[worker].updates);
    EXPECT_EQ(a.workers[worker].busy_s, b.workers[worker].busy_s);
    EXPECT_EQ(a.workers[worker].wait_s, b.workers[worker].wait_s);
    EXPECT_EQ(a.workers[worker].steals, b.workers[worker].steals);
  }
  EXPECT_EQ(a.regrids, b.regrids);
  EXPECT_EQ(a.sum_of_largest, b.sum_of_largest);
  EXPECT_EQ(a.sum_of_means, b.sum_of_means);
  ASSERT_EQ(a.longest_waits.size(), b.longest_waits.size());
  for (std::size_t at = 0; at < a.longest_waits.size(); ++at) {
    EXPECT_EQ(a.longest_waits[at].seconds, b.longest_waits[at].seconds);
    EXPECT_EQ(a.longest_waits[at].step, b.longest_waits[at].step);
    EXPECT_EQ(a.longest_waits[at].worker, b.longest_waits[at].worker);
    EXPECT_EQ(a.longest_waits[at].cause, b.longest_waits[at].cause);
    EXPECT_EQ(a.longest_waits[at].patch, b.longest_waits[at].patch);
    EXPECT_EQ(a.longest_waits[at].awaited, b.longest_waits[at].awaited);
  }
}

TEST_F(CheckpointTest, GivenAStateThenItsMeshIsReadWithIt) {
  const amr::Geometry& was = hierarchy_->geometry();
  const StoredState read = read_state(file());
  EXPECT_EQ(read.checkpoint.run.step, checkpoint_.run.step);
  EXPECT_EQ(read.geometry.points_x(0), was.points_x(0));
  EXPECT_EQ(read.geometry.points_y(0), was.points_y(0));
  EXPECT_EQ(read.geometry.spacing(2), was.spacing(2));
  EXPECT_DOUBLE_EQ(read.geometry.extent().x, was.extent().x);
  EXPECT_DOUBLE_EQ(read.geometry.extent().y, was.extent().y);
  EXPECT_EQ(read.geometry.centring(), was.centring());
}

TEST_F(CheckpointTest, GivenCellsOnAWideDomainThenTheMeshSaysSo) {
  const amr::Geometry wide(64, 32, {3.0, 1.5}, {}, amr::Centring::kCell);
  write_with(file(), checkpoint_, wide);
  const StoredState read = read_state(file());
  EXPECT_EQ(read.geometry.points_x(0), 64);
  EXPECT_EQ(read.geometry.points_y(0), 32);
  EXPECT_DOUBLE_EQ(read.geometry.extent().x, 3.0);
  EXPECT_DOUBLE_EQ(read.geometry.extent().y, 1.5);
  EXPECT_EQ(read.geometry.centring(), amr::Centring::kCell);
}

TEST_F(CheckpointTest, GivenARunThenEverythingOfItIsReadBack) {
  Checkpoint read = read_checkpoint(file());
  EXPECT_FALSE(read.sidecar);
  read_sidecar(file(), read);
  EXPECT_EQ(read.attributes.time, checkpoint_.attributes.time);
  EXPECT_EQ(read.attributes.dt, checkpoint_.attributes.dt);
  EXPECT_EQ(read.attributes.configuration, checkpoint_.attributes.configuration);
  EXPECT_EQ(read.attributes.component_names, checkpoint_.attributes.component_names);
  EXPECT_EQ(read.attributes.subcycling, checkpoint_.attributes.subcycling);
  EXPECT_EQ(read.attributes.initial_masses, checkpoint_.attributes.initial_masses);
  EXPECT_EQ(read.run.step, checkpoint_.run.step);
  EXPECT_EQ(read.run.next_regrid, checkpoint_.run.next_regrid);
  EXPECT_EQ(read.run.next_check, checkpoint_.run.next_check);
  EXPECT_EQ(read.run.unnested, checkpoint_.run.unnested);
  EXPECT_EQ(read.run.scales, checkpoint_.run.scales);
  expect_equal(read.run.counters, checkpoint_.run.counters);
  EXPECT_EQ(read.run.mesh, checkpoint_.run.mesh);
  ASSERT_EQ(read.run.levels.size(), checkpoint_.run.levels.size());
  for (std::size_t at = 0; at < read.run.levels.size(); ++at) {
    const amr::SavedLevel& level = read.run.levels[at];
    const amr::SavedLevel& saved = checkpoint_.run.levels[at];
    EXPECT_EQ(level.cfl, saved.cfl);
    EXPECT_EQ(level.travelled, saved.travelled);
    EXPECT_EQ(level.values, saved.values);
    ASSERT_EQ(level.histories.size(), saved.histories.size());
    for (std::size_t slot = 0; slot < saved.histories.size(); ++slot) {
      EXPECT_EQ(level.histories[slot].since, saved.histories[slot].since);
      EXPECT_EQ(level.histories[slot].unwanted, saved.histories[slot].unwanted);
    }
  }
}

TEST_F(CheckpointTest, GivenAnOpenCheckpointThenItsValuesCanBeHadLaterThoughItIsGone) {
  std::vector<double> seen;
  const auto look = [&](const Checkpoint& checkpoint, const amr::PatchId& id,
                        std::span<const double> record) {
    EXPECT_EQ(checkpoint.field_names().size(), std::size_t{kComponents});
    if (id.level == 1) seen.insert(seen.end(), record.begin(), record.end());
  };
  const Checkpoint open = open_checkpoint(file(), look);
  std::filesystem::remove(file());
  EXPECT_EQ(seen, checkpoint_.run.levels[1].values);
  for (int level = 0; level < checkpoint_.run.mesh.levels(); ++level) {
    EXPECT_TRUE(open.run.level(level).values.empty());
    EXPECT_EQ(open.run.level(level).cfl, checkpoint_.run.level(level).cfl);
    for (std::size_t slot = 0; slot < checkpoint_.run.mesh.size(level); ++slot) {
      std::vector<double> record(open.run.source.record_size);
      open.run.source.read(level, slot, record);
      EXPECT_THAT(record, ElementsAreArray(checkpoint_.run.record(level, slot)));
    }
  }
}

TEST_F(CheckpointTest, GivenCompressionThenAnOpenCheckpointHasItsValues) {
  write_with(file(), checkpoint_, hierarchy_->geometry(), Compression::kDeflate);
  const Checkpoint open = open_checkpoint(file());
  EXPECT_FALSE(open.run.source);
  EXPECT_EQ(open.run.levels[1].values, checkpoint_.run.levels[1].values);
}

TEST_F(CheckpointTest, GivenPatchesThatTheGridCannotHaveThenTheFileIsRefused) {
  const std::string whole = content(file());
  const auto refusal_with = [&](const char* level, std::size_t slot, const Corners& box) {
    put(file(), whole);
    change_box(level, slot, box);
    EXPECT_NO_THROW(verify_checkpoint(file()));
    return refusal();
  };
  EXPECT_THAT(refusal_with("/level_1/boxes", 19, {1584, 48, 1599, 63}),
              AllOf(HasSubstr(file().string()), HasSubstr("level 1 cannot have level 1 patch")));
  EXPECT_THAT(refusal_with("/level_1/boxes", 19, {64, 48, 79, 63}),
              HasSubstr("level 1 patch (4, 3) is there twice, or out of order"));
  EXPECT_THAT(refusal_with("/level_0/boxes", 1, {0, 0, 15, 15}), HasSubstr("is there twice"));
}

TEST_F(CheckpointTest, GivenADomainThatLevel0DoesNotCoverThenTheFileIsRefused) {
  write_with(file(), checkpoint_, amr::Geometry(128, 64, {2.0, 1.0}, {}));
  EXPECT_THAT(refusal(), HasSubstr("level 0 has 8 patches, not 8 x 4"));
}

TEST_F(CheckpointTest, GivenTheSameRunASecondLaterThenTheFileIsTheSame) {
  const std::string first = content(file());
  // The library can store times, in whole seconds.
  const std::time_t written = std::time(nullptr);
  while (std::time(nullptr) == written) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  write_with(file(), checkpoint_, hierarchy_->geometry());
  EXPECT_EQ(content(file()), first);
}

TEST_F(CheckpointTest, GivenCompressionThenTheSameIsReadBackFromASmallerFile) {
  ASSERT_TRUE(is_available(Compression::kDeflate));
  const Checkpoint saved = example_with_extras(*hierarchy_);
  write_with(file(), saved, hierarchy_->geometry());
  const auto plain = std::filesystem::file_size(file());
  write_with(file(), saved, hierarchy_->geometry(), Compression::kDeflate);
  EXPECT_LT(std::filesystem::file_size(file()), plain / 2);
  const Checkpoint read = read_checkpoint(file());
  ASSERT_EQ(read.run.levels.size(), saved.run.levels.size());
  for (std::size_t level = 0; level < saved.run.levels.size(); ++level) {
    EXPECT_EQ(read.run.levels[level].values, saved.run.levels[level].values);
  }
}

TEST_F(CheckpointTest, GivenCompressionAndOneFlippedBitThenItIsNoticed) {
  write_with(file(), checkpoint_, hierarchy_->geometry(), Compression::kDeflate);
  const std::string whole = content(file());
  std::mt19937_64 random(2);  // the same places every time
  for (int sample = 0; sample < 200; ++sample) {
    const std::size_t at = random() % whole.size();
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1U << random() % 8));
    put(file(), damaged);
    EXPECT_THROW(verify_checkpoint(file()), CheckpointError) << "byte " << at;
  }
}

TEST_F(CheckpointTest, GivenExtrasThenTheyAreReadBackAndCounted) {
  const Checkpoint saved = example_with_extras(*hierarchy_);
  write_with(file(), saved, hierarchy_->geometry());
  const Checkpoint read = read_checkpoint(file());
  EXPECT_EQ(read.run.extras, 4);
  EXPECT_EQ(read.attributes.component_names,
            (std::vector<std::string>{"u", "w", "level", "worker", "cost_s", "indicator"}));
  EXPECT_EQ(read.run.levels.at(2).values, saved.run.levels.at(2).values);
}

TEST_F(CheckpointTest, GivenMoreExtrasThanComponentsThenTheFileIsRefused) {
  checkpoint_.run.extras = kComponents;
  write_with(file(), checkpoint_, hierarchy_->geometry());
  EXPECT_THAT(refusal(), HasSubstr("'figures'"));
}

TEST_F(CheckpointTest, GivenMoreThanIsKeptFromTheDiskThenAllIsThere) {
  amr::Hierarchy large(amr::Geometry(2048, 1536, {2.0, 1.5}, {}), 1,
                       amr::PatchShape{kComponents, 1, 0});
  fill(large);
  const Checkpoint saved = example_checkpoint(large);
  write_with(file(), saved, large.geometry());
  EXPECT_TRUE(read_checkpoint(file()).run.levels.at(0).values == saved.run.levels.at(0).values);
  EXPECT_NO_THROW(verify_checkpoint(file()));
}

TEST_F(CheckpointTest, GivenOneFlippedBitAnywhereThenItIsNoticed) {
  const std::string whole = content(file());
  std::mt19937_64 random(1);  // the same places every time
  constexpr std::size_t kTail = 300;
  for (int sample = 0; sample < 400; ++sample) {
    // Half of them in the seal and what is just before it.
    std::size_t at = random() % whole.size();
    if (sample % 2 == 1) at = whole.size() - 1 - at % kTail;
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1U << random() % 8));
    put(file(), damaged);
    EXPECT_THROW(verify_checkpoint(file()), CheckpointError) << "byte " << at;
  }
  put(file(), whole);
  EXPECT_NO_THROW(verify_checkpoint(file()));
}

TEST_F(CheckpointTest, GivenADamagedRecordThenTheMessageNamesItsLevelAndPatches) {
  std::string damaged = content(file());
  const double wanted = checkpoint_.run.levels.at(1).values.at(0);
  const std::string bytes(reinterpret_cast<const char*>(&checkpoint_.run.levels.at(1).values.at(0)),
                          10 * sizeof(wanted));
  const std::size_t at = damaged.find(bytes);
  ASSERT_NE(at, std::string::npos);
  damaged[at + 3] = static_cast<char>(damaged[at + 3] ^ 1);
  put(file(), damaged);
  EXPECT_THAT(refusal(), AllOf(HasSubstr(file().string()), HasSubstr("is damaged between bytes"),
                               HasSubstr("records of level 1 from patch 0 on")));
}

TEST_F(CheckpointTest, GivenARecordThatWasSealedAnewThenItsOwnHashIsNotThatOfIt) {
  std::string damaged = content(file());
  const std::vector<double>& values = checkpoint_.run.levels.at(1).values;
  const std::size_t at = damaged.find({reinterpret_cast<const char*>(values.data()), 80});
  ASSERT_NE(at, std::string::npos);
  damaged[at + 3] = static_cast<char>(damaged[at + 3] ^ 1);
  // At the end: extents, where their table begins, a hash, and 16 letters.
  std::array<std::uint64_t, 2> counts;
  std::memcpy(counts.data(), damaged.data() + damaged.size() - 40, sizeof(counts));
  std::vector<Extent> extents(counts[0]);
  std::memcpy(extents.data(), damaged.data() + counts[1], extents.size() * sizeof(Extent));
  for (Extent& extent : extents) {
    extent.hash = hash_of(std::as_bytes(std::span(damaged)).subspan(extent.offset, extent.length));
  }
  put(file(), damaged.substr(0, counts[1]) + make_seal(extents));
  EXPECT_NO_THROW(verify_checkpoint(file()));
  EXPECT_THAT(refusal(), AllOf(HasSubstr(file().string()), HasSubstr("does not match its hash")));
}

TEST_F(CheckpointTest, GivenAFileThatWasCutThenTheMessageSaysSo) {
  const std::string whole = content(file());
  for (const std::size_t length : {whole.size() - 1, whole.size() / 2, std::size_t{100}}) {
    put(file(), whole.substr(0, length));
    EXPECT_THAT(refusal(), AllOf(HasSubstr(file().string()), HasSubstr("cut short"))) << length;
  }
  put(file(), whole.substr(0, 20));
  EXPECT_THAT(refusal(), HasSubstr("ends too early"));
  put(file(), "");
  EXPECT_THAT(refusal(), HasSubstr("is empty"));
}

TEST_F(CheckpointTest, GivenBytesBehindTheSealThenTheyAreNotBelieved) {
  put(file(), content(file()) + "more");
  EXPECT_THAT(refusal(), HasSubstr("cut short, or another program wrote it"));
}

TEST_F(CheckpointTest, GivenAnotherFileThenTheMessageSaysWhatItIsNot) {
  put(file(), "a letter to a friend, which is long enough to have a trailer in it");
  EXPECT_THAT(refusal_of<NotACheckpoint>([&] { read_checkpoint(file()); }),
              HasSubstr("does not begin as an HDF5 file"));
  std::filesystem::remove(file());
  EXPECT_THAT(refusal(), AllOf(HasSubstr("cannot be read"), HasSubstr("No such file")));
  EXPECT_THAT(refusal_of<CheckpointError>([&] { read_checkpoint(folder_); }),
              HasSubstr("is not a regular file"));
}

TEST_F(CheckpointTest, GivenASealAndADamagedBeginningThenItIsADamagedCheckpointAndNotAnotherFile) {
  std::string damaged = content(file());
  damaged[1] = 'h';
  put(file(), damaged);
  EXPECT_THROW(read_checkpoint(file()), DamagedCheckpoint);
  try {
    read_checkpoint(file());
  } catch (const NotACheckpoint& error) {
    FAIL() << error.what();
  } catch (const DamagedCheckpoint& error) {
    EXPECT_THAT(error.what(), HasSubstr("is damaged: it does not begin as an HDF5 file"));
  }
}

TEST_F(CheckpointTest, GivenASealOfALaterVersionThenANewerProgramIsAskedFor) {
  std::string later = content(file());
  const std::size_t at = later.rfind("KUMIKO SEAL 0001");
  ASSERT_NE(at, std::string::npos);
  later[at + 15] = '2';
  put(file(), later);
  EXPECT_THAT(refusal(), HasSubstr("use a newer version"));
}

}  // namespace
}  // namespace kumiko::io::test
