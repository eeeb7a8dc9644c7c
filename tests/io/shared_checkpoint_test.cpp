// Contract: a checkpoint that ranks write together has the bytes of the one that one process
// writes, while the run goes on; what goes wrong on one of them is told as one error, leaves
// nothing, and harms no checkpoint before.
#include <cerrno>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include <kumiko/cluster/errors.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/share_writer.hpp>
#include <kumiko/io/state_writer.hpp>
#include <kumiko/plugin/registry.hpp>

#include "amr/loopback_ranks.hpp"
#include "checkpoint/write_request.hpp"
#include "files/part_file.hpp"
#include "output_fixture.hpp"

namespace kumiko::io::test {
namespace {

using amr::test::LoopbackRanks;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What a follower's part in a file is.
using Follow = std::function<void(amr::Simulation&, amr::Communicator&)>;

void write_shares(amr::Simulation& simulation, ShareWriter& writer) {
  const auto take = [&](amr::SavedRecords&& records) { writer.take(std::move(records)); };
  while (simulation.follow(take)) {
  }
}

void write_own(amr::Simulation& simulation, amr::Communicator& communicator) {
  ShareWriter writer(communicator);
  write_shares(simulation, writer);
}

/// Answers rank 0 instead of writing.
Follow answering(const std::function<WriteAnswer()>& answer) {
  return [answer](amr::Simulation& simulation, amr::Communicator& communicator) {
    ShareWriter writer(communicator,
                       [&](const WriteRequest&, const amr::SavedRecords&) { return answer(); });
    write_shares(simulation, writer);
  };
}

class SharedCheckpointTest : public OutputTest {
 protected:
  /// Three levels of 36, some 30 and some 70 patches: four parts, no level's last one whole.
  static amr::SimulationOptions options() {
    amr::SimulationOptions options;
    options.points_x = options.points_y = 96;
    options.levels = 3;
    options.steps = 480;
    return options;
  }

  std::filesystem::path checkpoint_at(int step) const { return folder_ / checkpoint_name(step); }
  std::string part_of(int step) const { return checkpoint_at(step).string() + ".part"; }

  /// Rank 0's part is lead(); that of rank 1, if it is given, other(), and the rest write.
  void on_ranks(const LoopbackRanks& way,
                const std::function<void(amr::Simulation&, amr::Backend&)>& lead,
                const Follow& other = write_own) const {
    amr::test::on_loopback_ranks(way, [&](amr::Backend& backend, amr::Communicator& communicator) {
      amr::Simulation simulation(*case_, *solver_, backend, options(), communicator);
      if (communicator.rank() == 0) {
        lead(simulation, backend);
      } else {
        (communicator.rank() == 1 ? other : write_own)(simulation, communicator);
      }
    });
  }

  /// Writes a state with extras, whose costs are not measured yet, and a checkpoint.
  void write_some(amr::Simulation& simulation, amr::Backend& backend,
                  const std::filesystem::path& folder) const {
    std::filesystem::create_directory(folder);
    StateWriter writer(*case_, backend, {.extras = true}, simulation.communicator());
    writer.write_state(folder / state_name(0), simulation, {});
    simulation.advance(3);
    writer.write_checkpoint(folder / checkpoint_name(3), simulation, {});
    simulation.advance(3);
    writer.settle();
    EXPECT_EQ(writer.latest(), folder / checkpoint_name(3));
  }

  std::unique_ptr<amr::Case> case_ = plugin::find_case("zalesak")->make({});
  std::unique_ptr<amr::Solver> solver_ = plugin::find_solver("semi_lagrangian_cubic")->make({});
};

TEST_F(SharedCheckpointTest, GivenAnyNumberOfRanksThenTheFilesHaveTheBytesOfOneProcess) {
  {
    const auto backend = amr::make_backend("threads", 2);
    amr::Simulation one(*case_, *solver_, *backend, options());
    write_some(one, *backend, folder_ / "one");
    ASSERT_GT(one.hierarchy().level(2).size(), amr::kRecordsTogether);
  }
  // Five are more than there are parts.
  for (const LoopbackRanks& way : {LoopbackRanks{2, 2}, LoopbackRanks{3, 1, 1}, LoopbackRanks{5}}) {
    const std::filesystem::path folder = folder_ / std::to_string(way.ranks);
    on_ranks(way, [&](amr::Simulation& simulation, amr::Backend& backend) {
      write_some(simulation, backend, folder);
    });
    for (const std::string& name : {state_name(0), checkpoint_name(3)}) {
      EXPECT_TRUE(content(folder / name) == content(folder_ / "one" / name))
          << name << " of " << way.ranks << " ranks";
      verify_checkpoint(folder / name);
    }
  }
}

TEST_F(SharedCheckpointTest, GivenCompressionThenTheFileHasTheBytesOfOneProcessToo) {
  const auto write = [&](amr::Simulation& simulation, amr::Backend& backend, int file) {
    StateWriter writer(*case_, backend, {.compression = Compression::kDeflate},
                       simulation.communicator());
    writer.write_checkpoint(checkpoint_at(file), simulation, {});
    writer.settle();
  };
  const auto alone = amr::make_backend("threads", 1);
  amr::Simulation one(*case_, *solver_, *alone, options());
  write(one, *alone, 1);
  on_ranks({2}, [&](amr::Simulation& simulation, amr::Backend& backend) {
    write(simulation, backend, 2);
  });
  EXPECT_TRUE(content(checkpoint_at(2)) == content(checkpoint_at(1)));
}

TEST_F(SharedCheckpointTest, GivenARankThatCannotWriteThenOneErrorNamesItAndTheRunGoesOn) {
  int asked = 0;
  const auto full_once = [&asked] { return WriteAnswer{true, ++asked == 2 ? ENOSPC : EDQUOT, {}}; };
  std::vector<std::string> told;
  on_ranks(
      {3},
      [&](amr::Simulation& simulation, amr::Backend& backend) {
        StateWriter writer(
            *case_, backend,
            {.on_failed_checkpoint = [&](const auto& cause) { told.emplace_back(cause.what()); }},
            simulation.communicator());
        put(checkpoint_at(0), "whole");
        for (int step = 1; step <= 2; ++step) {
          simulation.advance(1);
          writer.write_checkpoint(checkpoint_at(step), simulation, {});
        }
        writer.settle();
        EXPECT_EQ(writer.latest(), std::nullopt);
      },
      answering(full_once));
  const auto error = [&](int step, int number) {
    return "rank 1: cannot write '" + part_of(step) +
           "': " + std::generic_category().message(number) +
           "; free space there, or name a folder elsewhere with --output";
  };
  EXPECT_THAT(told, ElementsAre(error(1, EDQUOT), error(2, ENOSPC)));
  EXPECT_THAT(OutputFolder::numbered(folder_, kCheckpointFiles),
              ElementsAre(std::pair(0, checkpoint_at(0))));
  EXPECT_EQ(content(checkpoint_at(0)), "whole");
  EXPECT_FALSE(std::filesystem::exists(part_of(1)) || std::filesystem::exists(part_of(2)));
}

TEST_F(SharedCheckpointTest, GivenNoRoomForAnyRankThenTheErrorIsThatOfOneProcess) {
  on_ranks({2}, [&](amr::Simulation& simulation, amr::Backend& backend) {
    StateWriter writer(*case_, backend, {}, simulation.communicator());
    const FileSizeLimit limit(1 << 16);
    writer.write_checkpoint(checkpoint_at(0), simulation, {});
    EXPECT_EQ(refusal_of<OutputError>([&] { writer.settle(); }),
              cannot_write(part_of(0), EFBIG).what());
  });
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(SharedCheckpointTest, GivenARankThatSeesAnotherFolderThenTheErrorNamesTheRemedy) {
  const auto elsewhere = [] { return WriteAnswer{}; };
  on_ranks(
      {2},
      [&](amr::Simulation& simulation, amr::Backend& backend) {
        StateWriter writer(*case_, backend, {}, simulation.communicator());
        writer.write_checkpoint(checkpoint_at(0), simulation, {});
        EXPECT_THAT(refusal_of<OutputError>([&] { writer.settle(); }),
                    AllOf(HasSubstr("rank 1 cannot find '" + part_of(0) + "'"),
                          HasSubstr("on a file system that all ranks share")));
      },
      answering(elsewhere));
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(SharedCheckpointTest, GivenARankThatDiesWhileItWritesThenTheLastCheckpointIsWhole) {
  struct Died {};
  cluster::Loopback net({.ranks = 2});
  std::promise<void> dies;
  const auto rank_0 = [&](amr::Simulation& simulation, amr::Backend& backend) {
    StateWriter writer(*case_, backend, {}, simulation.communicator());
    writer.write_checkpoint(checkpoint_at(0), simulation, {});
    writer.settle();
    simulation.advance(1);
    writer.write_checkpoint(checkpoint_at(1), simulation, {});
    EXPECT_THROW(writer.settle(), cluster::RankLost);
  };
  const auto rank_1 = [&](amr::Simulation& simulation, amr::Communicator& communicator) {
    int saved = 0;
    ShareWriter at_home(amr::single_rank());
    ShareWriter writer(communicator,
                       [&](const WriteRequest& request, const amr::SavedRecords& records) {
                         if (saved == 1) {
                           at_home.take(amr::SavedRecords(records));
                           return at_home.write(request);
                         }
                         net.vanish(1);
                         dies.set_value();
                         return WriteAnswer{};
                       });
    const auto take = [&](amr::SavedRecords&& records) {
      writer.take(std::move(records));
      ++saved;
    };
    while (saved < 2 && simulation.follow(take)) {
    }
    dies.get_future().wait();
    throw Died();
  };
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const auto backend = amr::make_backend("threads", 1);
        cluster::Cluster cluster(*backend->runtime(), net.link(rank));
        amr::ClusterCommunicator communicator(cluster);
        amr::Simulation simulation(*case_, *solver_, *backend, options(), communicator);
        rank == 0 ? rank_0(simulation, *backend) : rank_1(simulation, communicator);
      } catch (const Died&) {
        // As it should.
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_NO_THROW(verify_checkpoint(checkpoint_at(0)));
  EXPECT_FALSE(std::filesystem::exists(checkpoint_at(1)));
  EXPECT_FALSE(std::filesystem::exists(part_of(1)));
}

/// On a lightweight thread.
WriteAnswer written(ShareWriter& writer, const WriteRequest& request) {
  runtime::Runtime runtime({.workers = 1});
  WriteAnswer answer;
  runtime.run([&] { answer = writer.write(request); });
  return answer;
}

class ShareWriterTest : public OutputTest {
 protected:
  static constexpr std::size_t kRecord = amr::kPatchPoints;
  /// Those of two patches, from the third on.
  static amr::SavedRecords records() {
    return {kRecord, {{{0, 2, 2}, std::vector<double>(2 * kRecord, 1.5)}}};
  }
  WriteRequest request() const { return {file_.string(), 0x123456789abcdef, 8, {4096}}; }
  /// As rank 0 makes it.
  void make(std::uint64_t mark) const {
    std::ofstream stream(file_, std::ios::binary);
    stream.seekp(8);
    stream.write(reinterpret_cast<const char*>(&mark), sizeof mark);
  }

  std::filesystem::path file_;
  void SetUp() override {
    OutputTest::SetUp();
    file_ = folder_ / "state.hdf.part";
  }
};

TEST_F(ShareWriterTest, GivenTheMarkedFileThenRecordsArePutWhereTheyBelong) {
  make(request().mark);
  ShareWriter writer(amr::single_rank());
  writer.take(records());
  const WriteAnswer answer = written(writer, request());
  EXPECT_TRUE(answer.found);
  EXPECT_EQ(answer.error, 0);
  EXPECT_EQ(answer.hashes.size(), 3U);  // of a part and two records
  const std::string bytes = content(file_);
  ASSERT_EQ(bytes.size(), 4096 + 4 * kRecord * sizeof(double));
  EXPECT_EQ(std::string_view(bytes).substr(4096 + 2 * kRecord * sizeof(double)),
            std::string_view(reinterpret_cast<const char*>(records().ranges[0].values.data()),
                             2 * kRecord * sizeof(double)));
}

TEST_F(ShareWriterTest, GivenNoFileOrAnotherOneOfThatNameThenItIsNotWrittenTo) {
  ShareWriter writer(amr::single_rank());
  writer.take(records());
  EXPECT_FALSE(written(writer, request()).found);
  EXPECT_FALSE(std::filesystem::exists(file_));
  make(request().mark + 1);
  const std::string before = content(file_);
  writer.take(records());
  EXPECT_FALSE(written(writer, request()).found);
  EXPECT_EQ(content(file_), before);
}

TEST_F(ShareWriterTest, GivenNoRoomThenTheErrorIsAnswered) {
  make(request().mark);
  ShareWriter writer(amr::single_rank());
  writer.take(records());
  const FileSizeLimit limit(4096);
  const WriteAnswer answer = written(writer, request());
  EXPECT_TRUE(answer.found);
  EXPECT_EQ(answer.error, EFBIG);
}

}  // namespace
}  // namespace kumiko::io::test
