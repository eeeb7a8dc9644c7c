// By which MPI a program was launched, and on which cores: what the launchers' environments say,
// and what is refused with which remedy.
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/cluster/launch.hpp>
#include <kumiko/runtime/runtime.hpp>

#include "link/launcher.hpp"

namespace kumiko::cluster::detail {
namespace {

using Environment = std::map<std::string, std::string>;

template <class Ask>
auto in(const Environment& environment, Ask ask) {
  const auto lookup = [&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  };
  return ask(lookup);
}

Launch launch_in(const Environment& environment) { return in(environment, read_launch); }

std::string refusal_in(const Environment& environment) {
  try {
    launch_in(environment);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

void expect_launch(const Environment& environment, std::optional<Mpi> mpi, int ranks) {
  const Launch launch = launch_in(environment);
  EXPECT_EQ(launch.mpi, mpi);
  EXPECT_EQ(launch.ranks, ranks);
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST(LaunchTest, GivenNoLauncherThenThereIsOneRank) {
  expect_launch({}, std::nullopt, 0);
  expect_launch({{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}}, std::nullopt, 0);
}

TEST(LaunchTest, GivenALauncherThenItsMpiIsChosenWithAsManyRanks) {
  expect_launch({{"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "2"}}, Mpi::kOpenMpi, 4);
  expect_launch({{"PMI_SIZE", "3"}, {"PMI_RANK", "0"}}, Mpi::kMpich, 3);
}

TEST(LaunchTest, GivenALauncherThenOneRankIsTheFirstBeforeTheyMeet) {
  EXPECT_TRUE(in({}, is_first));
  EXPECT_TRUE(in({{"OMPI_COMM_WORLD_RANK", "0"}, {"PMIX_RANK", "0"}}, is_first));
  EXPECT_FALSE(in({{"OMPI_COMM_WORLD_RANK", "10"}}, is_first));
  EXPECT_FALSE(in({{"PMI_RANK", "1"}}, is_first));
  EXPECT_FALSE(in({{"PMIX_RANK", "3"}}, is_first));
}

TEST(LaunchTest, GivenSlurmThenTheChoiceIsByWhatItOffers) {
  expect_launch({{"PMIX_RANK", "1"}, {"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_NTASKS", "16"}},
                Mpi::kOpenMpi, 8);
  expect_launch({{"PMIX_RANK", "1"}, {"SLURM_NTASKS", "16"}}, Mpi::kOpenMpi, 16);
  expect_launch({{"PMI_RANK", "1"}, {"SLURM_STEP_NUM_TASKS", "8"}}, Mpi::kMpich, 8);
  EXPECT_TRUE(contains(refusal_in({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_NTASKS", "8"}}),
                       "srun --mpi=pmix"));
}

TEST(LaunchTest, GivenALauncherWithinABatchJobThenItIsTheLauncherThatCounts) {
  expect_launch({{"OMPI_COMM_WORLD_SIZE", "2"}, {"SLURM_NTASKS", "16"}}, Mpi::kOpenMpi, 2);
  expect_launch({{"SLURM_NTASKS", "16"}, {"SLURM_PROCID", "0"}}, std::nullopt, 0);
}

TEST(LaunchTest, GivenALinkByNameThenItOverridesTheLauncher) {
  expect_launch({{"KUMIKO_LINK", "alone"}, {"OMPI_COMM_WORLD_SIZE", "4"}}, std::nullopt, 0);
  expect_launch({{"KUMIKO_LINK", "mpich"}, {"OMPI_COMM_WORLD_SIZE", "4"}}, Mpi::kMpich, 4);
  expect_launch({{"KUMIKO_LINK", "openmpi"}}, Mpi::kOpenMpi, 0);
  EXPECT_TRUE(
      contains(refusal_in({{"KUMIKO_LINK", "pvm"}}), "'pvm'; give alone, openmpi or mpich"));
}

TEST(LaunchTest, GivenANumberThatIsNoneThenItsVariableIsNamed) {
  for (const char* number : {"two", "0", "-1", "4x"}) {
    EXPECT_TRUE(contains(refusal_in({{"OMPI_COMM_WORLD_SIZE", number}}), "OMPI_COMM_WORLD_SIZE is"))
        << number;
  }
}

TEST(LaunchTest, GivenALibrarysFileThenItsMpiIsKnown) {
  EXPECT_EQ(mpi_of_library("/usr/lib/x86_64-linux-gnu/libmpi.so.40"), Library::kOpenMpi);
  EXPECT_EQ(mpi_of_library("/usr/lib/x86_64-linux-gnu/libmpich.so.12"), Library::kMpich);
  EXPECT_EQ(mpi_of_library("/opt/mpich/lib/libmpi.so.12"), Library::kMpich);
  EXPECT_EQ(mpi_of_library("libmpi.so.1"), Library::kOtherMpi);
  for (const char* other : {"", "/opt/libmpi/libz.so.1", "/lib/libmpi_cxx.so.40", "libmpdec.so"}) {
    EXPECT_EQ(mpi_of_library(other), std::nullopt) << other;
  }
}

TEST(LaunchTest, GivenRanksOnAHostThenTheyShareWhatTheLauncherHas) {
  EXPECT_EQ(in({{"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}}, read_local_ranks), 4);
  EXPECT_EQ(in({{"MPI_LOCALNRANKS", "2"}}, read_local_ranks), 2);
  EXPECT_EQ(in({}, read_local_ranks), 1);
  EXPECT_EQ(workers_for(16, 16, 4), 4);  // not bound
  EXPECT_EQ(workers_for(4, 16, 4), 4);   // bound to a quarter
  EXPECT_EQ(workers_for(1, 16, 4), 1);   // bound to a core
  EXPECT_EQ(workers_for(2, 2, 4), 1);
}

TEST(LaunchTest, GivenCoresThenTheirListIsShort) {
  EXPECT_EQ(list_of(std::vector<int>{}), "");
  EXPECT_EQ(list_of(std::vector<int>{3}), "3");
  EXPECT_EQ(list_of(std::vector<int>{0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
}

TEST(LaunchTest, GivenCoresEnoughThenNobodyIsWarned) {
  const std::vector<Place> bound{{"a", {0, 1}, 2}, {"a", {2, 3}, 2}, {"b", {0, 1}, 2}};
  const std::vector<Place> unbound{{"a", {0, 1, 2, 3}, 2}, {"a", {0, 1, 2, 3}, 2}};
  for (const auto& places : {bound, unbound}) {
    for (int rank = 0; rank < static_cast<int>(places.size()); ++rank) {
      EXPECT_EQ(warning_about(places, rank), "");
    }
  }
}

TEST(LaunchTest, GivenMoreWorkersThanCoresThenTheRankIsWarned) {
  std::vector<Place> places{{"a", {0}, 16}, {"a", {1}, 1}};
  EXPECT_EQ(warning_about(places, 0), "rank 0 has 16 workers on 1 core; give fewer workers");
  EXPECT_EQ(warning_about(places, 1), "");
  places[0].is_bound = true;
  EXPECT_TRUE(contains(warning_about(places, 0), "on 1 core; launch with --bind-to none"));
}

TEST(LaunchTest, GivenRanksThatShareCoresThenTheirWorkersAreAddedUp) {
  const std::vector<Place> places{
      {"a", {0, 1, 2, 3}, 4}, {"a", {0, 1, 2, 3}, 4}, {"a", {8, 9}, 2}, {"b", {0, 1}, 2}};
  EXPECT_TRUE(
      contains(warning_about(places, 1), "ranks 0-1 share cores 0-3 of a host and have 8 workers"));
  EXPECT_EQ(warning_about(places, 2), "");
}

TEST(LaunchTest, GivenALightweightThreadWhenItAsksForALinkThenThatIsRefused) {
  runtime::Runtime runtime({.workers = 1});
  runtime.run([] { EXPECT_THROW(link_of_environment(), std::logic_error); });
}

TEST(LaunchTest, GivenOneRankThenItsPlacementIsSaid) {
  runtime::Runtime runtime({.workers = 1});
  runtime.run([&] {
    Cluster cluster(runtime);
    const Placement place = placement(cluster);
    EXPECT_TRUE(contains(place.line, "rank 0 of 1: cores ")) << place.line;
    EXPECT_TRUE(contains(place.line, ", workers 1")) << place.line;
    EXPECT_EQ(place.warning, "");
  });
  EXPECT_GE(workers_by_local_ranks(), 1);
}

}  // namespace
}  // namespace kumiko::cluster::detail
