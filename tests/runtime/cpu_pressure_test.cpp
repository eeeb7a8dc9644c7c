// Contract: the level is 1 or more where 15 % of the process's cores were stolen, where a quota of
// its group or of an ancestor has cut a period short, or where somebody waited for a core in that
// share of the time, and own threads did; whatever is missing, strange, or went back counts as
// nothing.
#include "machine/cpu_pressure.hpp"

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>

#include <kumiko/runtime/policy/waiting.hpp>

#include "machine/cpu_groups.hpp"
#include "made_up_system.hpp"

namespace kumiko::runtime::test {
namespace {

namespace fs = std::filesystem;
using detail::CpuPressure;
using std::chrono::milliseconds;

class Pressure : public MadeUpSystem {
 protected:
  static constexpr const char* kStat = "proc/stat";
  static constexpr const char* kWaits = "proc/pressure/cpu";

  /// Opens the files as they are now, for a process that may run on processors 0 and 1.
  void open() {
    pressure_ = std::make_unique<CpuPressure>(root_, std::vector<int>{0, 1});
    EXPECT_EQ(look(), 0);
  }

  /// The level of 100 ms more.
  double look() { return pressure_->level(now_ += milliseconds(100)); }

  /// Without steal time.
  void write_processors(int processors) const {
    std::string lines = "cpu 1 2 3\n";
    for (int cpu = 0; cpu < processors; ++cpu) lines += "cpu" + std::to_string(cpu) + " 1 2 3\n";
    write(kStat, lines + "intr 1 2 3");
  }

  void write_stolen(int first, int second, int third) const {
    const std::string common = " 100 0 100 5000 0 0 0 ";
    write(kStat, "cpu " + common + "999\ncpu0" + common + std::to_string(first) + " 7 7\ncpu1" +
                     common + std::to_string(second) + " 7 7\ncpu2" + common +
                     std::to_string(third) + " 7 7\nintr 1 2 3");
  }

  void write_waits(const fs::path& path, int microseconds) const {
    write(path, "some avg10=99.00 avg60=99.00 avg300=99.00 total=" + std::to_string(microseconds) +
                    "\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=77777777");
  }

  /// Has the process's two threads wait for a core for so much longer.
  void delay(int more) {
    delays_ += more;
    write("proc/self/task/7/schedstat", "99999999999 5000000 77");
    write("proc/self/task/8/schedstat", "1 " + std::to_string(delays_) + "000000 77");
  }

  int delays_ = 1000;
  CpuPressure::Clock::time_point now_{std::chrono::hours(1)};
  std::unique_ptr<CpuPressure> pressure_;
};

TEST_F(Pressure, GivenStolenTicksThenTheShareOfTheProcessorsThatTheProcessMayUseCounts) {
  write_stolen(10, 20, 30);
  open();
  EXPECT_TRUE(pressure_->sees_system());
  write_stolen(10, 20, 80);
  EXPECT_EQ(look(), 0) << "of a processor that is not the process's";
  write_stolen(11, 21, 80);
  EXPECT_NEAR(look(), 0.67, 0.01) << "two of twenty ticks, of which three are 15 %";
  write_stolen(13, 22, 80);
  EXPECT_NEAR(look(), 1, 1e-9);
  EXPECT_EQ(look(), 0) << "differences count, not totals";
}

TEST_F(Pressure, GivenATotalThatWentBackThenItCountsFromThereOn) {
  write_stolen(10, 20, 30);
  open();
  write_stolen(0, 0, 0);
  EXPECT_EQ(look(), 0);
  write_stolen(3, 3, 0);
  EXPECT_NEAR(look(), 2, 1e-9);
}

TEST_F(Pressure, GivenVersion2WhenAnAncestorThrottlesThenThatIsEnough) {
  mount_version2("/a/b");
  write("sys/fs/cgroup/cpu.stat", "usage_usec 5");
  write("sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 1");
  write("sys/fs/cgroup/a/b/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_usec 0");
  open();
  EXPECT_TRUE(pressure_->sees_system());
  EXPECT_EQ(look(), 0);
  write("sys/fs/cgroup/a/cpu.stat",
        "usage_usec 9\nnr_periods 10\nnr_throttled 4\nthrottled_usec 9");
  EXPECT_GE(look(), 1);
  EXPECT_EQ(look(), 0);
}

TEST_F(Pressure, GivenVersion1WhenItsGroupOrAnAncestorThrottlesThenThatIsEnough) {
  mount_version1("/pod/box");
  for (const char* const group : {"pod/box", "pod", "."}) {
    write(fs::path("sys/fs/cgroup/cpu") / group / "cpu.stat",
          "nr_periods 5\nnr_throttled 0\nthrottled_time 0");
  }
  open();
  for (const char* const group : {"pod/box", "pod", "."}) {
    EXPECT_EQ(look(), 0);
    write(fs::path("sys/fs/cgroup/cpu") / group / "cpu.stat",
          "nr_periods 6\nnr_throttled 1\nthrottled_time 1");
    EXPECT_GE(look(), 1) << group;
  }
}

TEST_F(Pressure, GivenOthersWhoWaitThenItTakesOwnWaitsTooAndTheLowerLevelCounts) {
  write_processors(2);
  write_waits(kWaits, 5000);
  delay(0);
  open();
  EXPECT_TRUE(pressure_->sees_system());
  write_waits(kWaits, 105'000);
  EXPECT_EQ(look(), 0) << "they wait elsewhere, or give way to this process";
  delay(100);
  EXPECT_EQ(look(), 0) << "nobody waits: a file of another moment";
  delay(60);
  write_waits(kWaits, 120'000);
  EXPECT_NEAR(look(), 1, 1e-9) << "15 % of the time";
  delay(15);
  write_waits(kWaits, 220'000);
  EXPECT_NEAR(look(), 0.5, 1e-9) << "7.5 % of two cores";
}

TEST_F(Pressure, GivenOwnWaitsThatAreNotShownThenOthersAreEnough) {
  write_processors(2);
  write_waits(kWaits, 0);
  open();
  write_waits(kWaits, 15'000);
  EXPECT_NEAR(look(), 1, 1e-9);
}

TEST_F(Pressure, GivenAGroupOfItsOwnThenItsWaitsCountAndNotTheSystems) {
  mount_version2("/a");
  write("sys/fs/cgroup/a/cgroup.type", "domain");
  write_waits("sys/fs/cgroup/a/cpu.pressure", 0);
  write_waits(kWaits, 0);
  open();
  write_waits(kWaits, 100'000);
  EXPECT_EQ(look(), 0);
  write_waits("sys/fs/cgroup/a/cpu.pressure", 100'000);
  EXPECT_GE(look(), 1);
}

TEST_F(Pressure, GivenTheTopOfTheHierarchyThenTheSystemsWaitsCount) {
  mount_version2("/");
  write_processors(2);
  write_waits("sys/fs/cgroup/cpu.pressure", 0);
  write_waits(kWaits, 0);
  open();
  write_waits("sys/fs/cgroup/cpu.pressure", 100'000);
  EXPECT_EQ(look(), 0);
  write_waits(kWaits, 100'000);
  EXPECT_GE(look(), 1);
}

TEST_F(Pressure, GivenProcessorsOfOthersThenOwnWaitsAloneCount) {
  write_processors(3);
  write_waits(kWaits, 0);
  delay(0);
  open();
  write_waits(kWaits, 100'000);
  EXPECT_EQ(look(), 0) << "somebody may wait for the third processor";
  delay(60);
  EXPECT_NEAR(look(), 2, 1e-9);
}

TEST_F(Pressure, GivenUnknownProcessorsThenTheSystemsWaitsDoNotCount) {
  write_waits(kWaits, 0);
  open();
  EXPECT_FALSE(pressure_->sees_system());
  write_waits(kWaits, 100'000);
  EXPECT_EQ(look(), 0);
}

TEST_F(Pressure, GivenManyThreadsThenALookIsAtSomeOfThem) {
  for (int thread = 100; thread < 1100; ++thread) {
    write("proc/self/task/" + std::to_string(thread) + "/schedstat", "1 0 1");
  }
  open();
  for (int thread = 100; thread < 1100; ++thread) {
    write("proc/self/task/" + std::to_string(thread) + "/schedstat", "1 1000000 1");
  }
  EXPECT_NEAR(look(), 64 * 1e6 / (0.15 * 2 * 1e8), 1e-9) << "64 threads for 1 ms of two cores";
}

TEST_F(Pressure, GivenASystemWithoutOtherFilesThenOwnWaitsAreEnough) {
  delay(0);
  open();
  EXPECT_FALSE(pressure_->sees_system());
  EXPECT_EQ(look(), 0);
  delay(30);
  EXPECT_NEAR(look(), 1, 1e-9);
  fs::remove_all(root_ / "proc/self/task/8");
  EXPECT_EQ(look(), 0) << "a thread that has ended";
}

TEST_F(Pressure, GivenASystemWithoutAnyFileThenNothingIsEverSeen) {
  open();
  EXPECT_FALSE(pressure_->sees_system());
  EXPECT_EQ(look(), 0);
}

TEST_F(Pressure, GivenGarbageThenItIsAsIfTheFilesWereNotThere) {
  mount_version2("/a");
  write(kStat, "cpu\ncpu0 1 2\ncpu1 a b c d e f g h\ncpu9999999999999999999999 1 2 3 4 5 6 7 8");
  write(kWaits, "some total=much\nfull total=5");
  write("sys/fs/cgroup/a/cpu.stat", "nr_throttled many");
  write("sys/fs/cgroup/cpu.stat", "xnr_throttled 5\n");
  delay(0);
  write("proc/self/task/9/schedstat", "nonsense");
  write("proc/self/task/x/schedstat", "1 999999999999 1");
  open();
  EXPECT_FALSE(pressure_->sees_system());
  delay(30);
  EXPECT_NEAR(look(), 1, 1e-9);
}

TEST_F(Pressure, GivenAFolderInAFilesPlaceThenItIsAsIfItWereNotThere) {
  fs::create_directories(root_ / kStat);
  fs::create_directories(root_ / kWaits);
  open();
  EXPECT_FALSE(pressure_->sees_system());
}

TEST_F(Pressure, GivenAFileThatTurnsToGarbageThenItCountsNothingUntilItIsSound) {
  write_stolen(0, 0, 0);
  open();
  write(kStat, "nonsense");
  EXPECT_EQ(look(), 0);
  write_stolen(50, 50, 0);
  EXPECT_EQ(look(), 0) << "nothing is known of before";
  write_stolen(53, 53, 0);
  EXPECT_NEAR(look(), 2, 1e-9);
}

TEST_F(Pressure, GivenALineThatIsCutOffThenItDoesNotCount) {
  std::ofstream(root_ / "x");
  fs::create_directories(root_ / "proc");
  std::ofstream(root_ / kStat) << "cpu0 1 0 1 5 0 0 0 1";
  open();
  EXPECT_FALSE(pressure_->sees_system()) << "the number may go on";
}

TEST(ThisSystem, GivenItsFilesWhenAskedThenWhatItShowsIsUsed) {
  const CpuPressure pressure("/", detail::affine_cpus());
  std::ifstream stat("/proc/stat");
  std::string line;
  std::getline(stat, line);
  // "cpu", two spaces, and ten numbers, of which the eighth is the steal time.
  const bool shows_steal = std::count(line.begin(), line.end(), ' ') >= 9;
  EXPECT_TRUE(pressure.sees_system() || !shows_steal) << line;
}

}  // namespace
}  // namespace kumiko::runtime::test
