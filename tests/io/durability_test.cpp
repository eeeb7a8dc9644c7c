// Contract: what has its name is on the disk. A file's bytes are synced before it is renamed, and
// the folder after that, so that a power cut leaves the file under its name or the one that was
// there before, and whole.
#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/plotfile.hpp>
#include <kumiko/io/trace_file.hpp>

#include "files/part_file.hpp"
#include "output_fixture.hpp"
#include "state_fixture.hpp"
#include "trace_fixture.hpp"

namespace {

/// What the system was asked for, in order: "write NAME", "sync NAME", "rename NAME to NAME".
struct Calls {
  std::mutex mutex;
  bool kept = false;
  std::vector<std::string> all;

  void note(const std::string& call) {
    const std::lock_guard lock(mutex);
    if (kept && (all.empty() || all.back() != call)) all.push_back(call);
  }
};

Calls& calls() {
  static Calls instance;
  return instance;
}

std::string name_of(int descriptor) {
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  return std::filesystem::read_symlink(link).filename().string();
}

std::string name_of(const char* path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

// These stand before the C library's for all of the program.
extern "C" int fsync(int descriptor) {
  calls().note("sync " + name_of(descriptor));
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

extern "C" int fdatasync(int descriptor) {
  calls().note("sync " + name_of(descriptor));
  return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}

extern "C" int rename(const char* from, const char* to) noexcept {
  calls().note("rename " + name_of(from) + " to " + name_of(to));
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

extern "C" ssize_t pwritev(int descriptor, const iovec* from, int count, off_t offset) {
  calls().note("write " + name_of(descriptor));
  return ::syscall(SYS_pwritev, descriptor, from, count, offset, 0);
}

namespace kumiko::io::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

class DurabilityTest : public OutputTest {
 protected:
  template <class Write>
  static std::vector<std::string> calls_of(Write write) {
    calls().all.clear();
    calls().kept = true;
    write();
    calls().kept = false;
    return calls().all;
  }

  std::string folder_name() const { return folder_.filename().string(); }
};

TEST_F(DurabilityTest,
       GivenAFileInPartsWhenPublishedThenItIsSyncedBeforeItHasItsNameAndTheFolderAfter) {
  const auto publish = [this] {
    PartFile part(folder_ / "figures.csv");
    put(part.part());
    part.publish();
  };
  EXPECT_THAT(calls_of(publish),
              ElementsAre("sync figures.csv.part", "rename figures.csv.part to figures.csv",
                          "sync " + folder_name()));
}

/// Of a folder that is called `name` in the end: its files and folders are synced while it is a
/// part, in any order, and nothing of it after.
void expect_synced_as_a_part(const std::vector<std::string>& calls, const std::string& name,
                             const std::vector<std::string>& inside, const std::string& parent) {
  const std::string rename = "rename " + name + ".part to " + name;
  const auto renamed = std::find(calls.begin(), calls.end(), rename);
  ASSERT_NE(renamed, calls.end()) << "it never got its name";
  const std::vector<std::string> before(calls.begin(), renamed);
  ASSERT_FALSE(before.empty()) << "nothing was synced";
  for (const std::string& each : inside) EXPECT_THAT(before, Contains("sync " + each)) << each;
  EXPECT_EQ(before.back(), "sync " + name + ".part");
  EXPECT_THAT(std::vector<std::string>(std::next(renamed), calls.end()),
              ElementsAre("sync " + parent));
}

TEST_F(DurabilityTest, GivenAPlotfileWhenWrittenThenAllOfItIsSyncedBeforeItHasItsName) {
  const auto hierarchy = example_hierarchy();
  const auto write = [&] {
    write_plotfile(folder_ / "plt_000007", {example_checkpoint(*hierarchy), hierarchy->geometry()});
  };
  expect_synced_as_a_part(calls_of(write), "plt_000007",
                          {"Cell_D_00000", "Level_0", "Level_1", "Level_2"}, folder_name());
}

TEST_F(DurabilityTest, GivenAnOtf2ArchiveWhenWrittenThenAllOfItIsSyncedBeforeItHasItsName) {
  if (!otf2_available()) GTEST_SKIP() << "this build has no OTF2";
  const auto write = [&] { write_otf2(folder_ / "trace_otf2", small_trace()); };
  expect_synced_as_a_part(calls_of(write), "trace_otf2",
                          {"traces.otf2", "traces.def", "traces", "0.evt", "0.def"}, folder_name());
}

TEST_F(DurabilityTest,
       GivenACheckpointWhenWrittenThenItIsSyncedBeforeItHasItsNameAndTheFolderAfter) {
  const auto hierarchy = example_hierarchy();
  const Checkpoint checkpoint = example_checkpoint(*hierarchy);
  // The engine that asks the C library. The other one is asked in the same words by the same code.
  runtime::Runtime runtime({.workers = 2, .io_engine = runtime::IoEngine::kEpoll});
  const auto write = [&] {
    write_checkpoint(folder_ / "state.hdf", checkpoint, hierarchy->geometry(), runtime);
  };
  EXPECT_THAT(calls_of(write),
              ElementsAre("write state.hdf.part", "sync state.hdf.part",
                          "rename state.run.json.part to state.run.json",
                          "rename state.hdf.part to state.hdf", "sync " + folder_name()));
}

}  // namespace
}  // namespace kumiko::io::test
