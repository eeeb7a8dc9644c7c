// Contract: a run writes to a folder that is new, empty or given up to it; nothing but files of
// runs is ever removed; a file appears whole or not at all.
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/manifest.hpp>
#include <kumiko/io/output_folder.hpp>

#include "output_fixture.hpp"

namespace kumiko::io::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class OutputFolderTest : public OutputTest {
 protected:
  static std::string check_refusal(const fs::path& path, Earlier earlier = Earlier::kRefuse) {
    return refusal_of<OutputError>([&] { OutputFolder::check(path, earlier); });
  }
};

TEST_F(OutputFolderTest, GivenAMissingPathThenItPassesTheCheckAndIsMadeWithItsParents) {
  const fs::path path = folder_ / "a" / "b";
  OutputFolder::check(path, Earlier::kRefuse);
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  const OutputFolder output(path, Earlier::kRefuse);
  EXPECT_TRUE(fs::is_directory(path));
  EXPECT_EQ(output.file("summary.json"), path / "summary.json");
}

TEST_F(OutputFolderTest, GivenAnEmptyFolderOrASlashAtTheEndThenItIsTaken) {
  OutputFolder::check(folder_, Earlier::kRefuse);
  OutputFolder::check(folder_ / "new" / "", Earlier::kRefuse);
  const OutputFolder output(folder_ / "new" / "", Earlier::kRefuse);
  EXPECT_TRUE(fs::is_directory(folder_ / "new"));
}

TEST_F(OutputFolderTest, GivenALinkOnTheWayThenWhatIsAboveItsFolderIsMeant) {
  fs::create_directories(folder_ / "far" / "deep");
  fs::create_directory_symlink(folder_ / "far" / "deep", folder_ / "link");
  const fs::path path = folder_ / "link" / ".." / "run";
  {
    const OutputFolder output(path, Earlier::kRefuse);
    write_text_file(output.file("summary.json"), "{}");
  }
  EXPECT_TRUE(fs::exists(folder_ / "far" / "run" / "summary.json"));
  EXPECT_FALSE(fs::exists(folder_ / "run"));
  // What stands in the other place is nobody's concern.
  fs::create_directory(folder_ / "run");
  put(folder_ / "far" / "run" / "effective.toml");
  EXPECT_THAT(check_refusal(path), HasSubstr("holds a run"));
}

TEST_F(OutputFolderTest, GivenLinksInACircleThenTheyAreNamed) {
  fs::create_symlink("loop", folder_ / "loop");
  for (const fs::path& path : {folder_ / "loop", folder_ / "loop" / "run"}) {
    EXPECT_THAT(check_refusal(path), AllOf(HasSubstr("Too many levels"), HasSubstr("--output")));
    EXPECT_THAT(refusal_of<OutputError>([&] { check_writable(path); }),
                AllOf(HasSubstr("Too many levels"), HasSubstr("another file")));
    EXPECT_THROW(check_writable_folder(path), OutputError);
  }
}

TEST_F(OutputFolderTest, GivenAFolderForFilesThenWhetherTheyCanBePutThereIsToldBeforehand) {
  check_writable_folder(folder_);
  check_writable_folder(folder_ / "new" / "one");
  EXPECT_FALSE(fs::exists(folder_ / "new"));
  put(folder_ / "file");
  EXPECT_THROW(check_writable_folder(folder_ / "file"), OutputError);
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  const OrdinaryUser user;
  EXPECT_THAT(refusal_of<OutputError>([&] { check_writable_folder(folder_); }),
              AllOf(HasSubstr("no permission to write to"), HasSubstr("--output")));
}

TEST_F(OutputFolderTest, GivenAFolderThatHoldsARunThenItIsRefusedWithTheRemedyUnlessOverwriting) {
  put(folder_ / "effective.toml");
  EXPECT_THAT(check_refusal(folder_), AllOf(HasSubstr(folder_.string()), HasSubstr("holds a run"),
                                            HasSubstr("--overwrite"), HasSubstr("--output")));
  EXPECT_THROW(OutputFolder(folder_, Earlier::kRefuse), OutputError);
  OutputFolder::check(folder_, Earlier::kReplace);
}

TEST_F(OutputFolderTest, GivenARunThatWasEndedBeforeItsConfigurationThenItMayBeOverwritten) {
  put(folder_ / "diagnostics.csv.part");
  EXPECT_THAT(check_refusal(folder_), HasSubstr("holds a run"));
  const OutputFolder output(folder_, Earlier::kReplace);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(OutputFolderTest, GivenAFolderThatNeverHeldARunThenNothingInItIsRemoved) {
  const std::vector<std::string> own = {"summary.json", "report.html", "trace.json",
                                        "diagnostics.csv", "state_000010.hdf"};
  for (const std::string& name : own) {
    put(folder_ / name);
    for (const Earlier earlier : {Earlier::kRefuse, Earlier::kReplace}) {
      EXPECT_THAT(check_refusal(folder_, earlier),
                  AllOf(HasSubstr("has files but no run"), HasSubstr("--output"),
                        Not(HasSubstr("--overwrite"))));
      EXPECT_THROW(OutputFolder(folder_, earlier), OutputError);
    }
    EXPECT_EQ(content(folder_ / name), "mine");
    fs::remove(folder_ / name);
  }
}

TEST_F(OutputFolderTest, GivenARunThatWritesThenAnotherIsRefusedUntilItEnds) {
  {
    const OutputFolder running(folder_ / "run", Earlier::kRefuse);
    write_text_file(running.file("summary.json"), "{}");
    write_text_file(running.file("effective.toml"), "");
    for (const Earlier earlier : {Earlier::kReplace, Earlier::kRefuse}) {
      EXPECT_THAT([&] { OutputFolder(folder_ / "run", earlier); },
                  ThrowsMessage<OutputError>(HasSubstr("another run is writing into")));
    }
    EXPECT_TRUE(std::filesystem::exists(running.file("summary.json")));
  }
  EXPECT_NO_THROW(OutputFolder(folder_ / "run", Earlier::kReplace));
}

TEST_F(OutputFolderTest, GivenAFileInThePlaceThenItIsRefusedEvenWhenOverwriting) {
  put(folder_ / "file");
  EXPECT_THAT(check_refusal(folder_ / "file", Earlier::kReplace), HasSubstr("not a folder"));
  EXPECT_THAT(check_refusal(folder_ / "file" / "below", Earlier::kReplace),
              HasSubstr("not a folder"));
  EXPECT_EQ(content(folder_ / "file"), "mine");
}

TEST_F(OutputFolderTest, GivenNoPermissionThenFolderAndParentAreRefused) {
  fs::create_directory(folder_ / "locked");
  fs::permissions(folder_, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
  fs::permissions(folder_ / "locked", fs::perms::owner_read | fs::perms::owner_exec |
                                          fs::perms::others_read | fs::perms::others_exec);
  const OrdinaryUser user;
  EXPECT_THAT(check_refusal(folder_ / "locked"),
              AllOf(HasSubstr("no permission"), HasSubstr("--output")));
  EXPECT_THAT(check_refusal(folder_ / "locked" / "new"), HasSubstr("no permission"));
}

TEST_F(OutputFolderTest, GivenNoNameOrAFolderThatCannotBeMadeThenItIsRefused) {
  EXPECT_THAT(check_refusal(""), HasSubstr("--output"));
  EXPECT_THAT(refusal_of<OutputError>([] { OutputFolder("/proc/kumiko", Earlier::kRefuse); }),
              HasSubstr("/proc/kumiko"));
}

// Root has the permission there, and no file can be made.
TEST_F(OutputFolderTest, GivenAFileSystemOfTheKernelsThenTheCheckRefusesIt) {
  EXPECT_THAT(check_refusal("/proc/kumiko"), HasSubstr("'/proc'; name another folder"));
  EXPECT_THAT(refusal_of<OutputError>([] { check_writable("/proc/kumiko"); }),
              HasSubstr("'/proc'; name another file"));
  EXPECT_THAT(refusal_of<OutputError>([] { check_writable_folder("/proc/kumiko"); }),
              HasSubstr("'/proc'; name another folder"));
}

TEST_F(OutputFolderTest, GivenAFolderThatTakesFilesThenTheCheckLeavesNothingThere) {
  check_writable(folder_ / "file");
  check_writable_folder(folder_ / "folder");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(OutputFolderTest, GivenOverwriteThenFilesOfRunsGoAndAllElseStays) {
  const std::vector<std::string> of_runs = {
      "state_000010.hdf", "state_000020.hdf.part", "field_start.png", "field_end.png.part",
      "diagnostics.csv",  "diagnostics.csv.part",  "summary.json",    "effective.toml",
      "record_a-1.csv",   "record_b_2.csv.part"};
  const std::vector<std::string> others = {
      "notes.txt",           "photo.png",           "state_1.hdf.bak",         "config.toml",
      "my_state_000010.hdf", "state_final.hdf",     "state_000010_keep.hdf",   "field_mine.png",
      "record_.csv",         "record_my notes.csv", "state_000010.hdf.damaged"};
  for (const std::string& name : of_runs) put(folder_ / name);
  for (const std::string& name : others) put(folder_ / name);
  fs::create_directory(folder_ / "state_000098.hdf");
  fs::create_symlink("nowhere", folder_ / "state_000099.hdf");

  const OutputFolder output(folder_, Earlier::kReplace);
  for (const std::string& name : of_runs) EXPECT_FALSE(fs::exists(folder_ / name)) << name;
  for (const std::string& name : others) EXPECT_EQ(content(folder_ / name), "mine") << name;
  EXPECT_TRUE(fs::is_directory(folder_ / "state_000098.hdf"));
  EXPECT_FALSE(fs::is_symlink(folder_ / "state_000099.hdf"));
}

TEST_F(OutputFolderTest, GivenARunToGoOnWithThenItsFilesStayAndWhatSaysItWasCompleteGoes) {
  for (const char* const name :
       {"checkpoint_000010.hdf", "diagnostics.csv", "diagnostics.csv.part", "summary.json",
        "manifest.json", "state_000020.hdf.part", "mine"}) {
    put(folder_ / name);
  }
  OutputFolder::check(folder_, Earlier::kContinue);
  const OutputFolder output(folder_, Earlier::kContinue);
  EXPECT_TRUE(fs::exists(folder_ / "summary.json"));
  output.forget_end();
  std::set<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    left.insert(entry.path().filename().string());
  }
  EXPECT_THAT(left, ElementsAre("checkpoint_000010.hdf", "diagnostics.csv.part", "mine"));
}

TEST_F(OutputFolderTest, GivenNumberedFilesThenTheyAreFoundByNumber) {
  for (const char* const name :
       {"state_000020.hdf", "state_1000000.hdf", "state_000003.hdf", "state_3.hdf", "state_.hdf",
        "state_000004_mine.hdf", "state_000004.hdf.part", "state_-00005.hdf"}) {
    put(folder_ / name);
  }
  std::vector<std::int64_t> numbers;
  for (const auto& [number, file] : OutputFolder::numbered(folder_, "state_#.hdf")) {
    numbers.push_back(number);
    EXPECT_TRUE(fs::exists(file));
  }
  EXPECT_THAT(numbers, ElementsAre(3, 20, 1000000));
  EXPECT_TRUE(OutputFolder::numbered(folder_ / "missing", "state_#.hdf").empty());
}

TEST_F(OutputFolderTest, GivenFilesOfARunThenTheManifestListsThemWithSizeAndHash) {
  const OutputFolder output(folder_, Earlier::kRefuse);
  write_text_file(output.file("load.csv"), "abc");
  for (const char* const name : {"mine", "summary.json", "trace.json.part"}) put(folder_ / name);
  const auto json = nlohmann::json::parse(make_manifest(output, "abc"));
  ASSERT_EQ(json["files"].size(), 2U);
  EXPECT_EQ(json["files"][0]["name"], "load.csv");
  EXPECT_EQ(json["files"][0]["bytes"], 3);
  EXPECT_EQ(json["files"][0]["xxh3"], "78af5f94892f3950");  // xxh3_64 of "abc" by xxhash's xxhsum
  EXPECT_EQ(json["files"][1]["name"], "summary.json");
  EXPECT_EQ(json["files"][1]["xxh3"], json["files"][0]["xxh3"]);
}

TEST_F(OutputFolderTest, GivenStatesThenTheSeriesGivesTheirTimes) {
  const OutputFolder output(folder_, Earlier::kRefuse);
  put(folder_ / "state_000010.hdf");
  put(folder_ / "state_000004.hdf");
  const auto json = nlohmann::json::parse(make_series(
      output, [](std::int64_t step, const std::filesystem::path&) { return 0.25 * step; }));
  EXPECT_EQ(json["file-series-version"], "1.0");
  ASSERT_EQ(json["files"].size(), 2U);
  EXPECT_EQ(json["files"][0]["name"], "state_000004.hdf");
  EXPECT_EQ(json["files"][0]["time"], 1.0);
  EXPECT_EQ(json["files"][1]["time"], 2.5);
}

TEST_F(OutputFolderTest, GivenANameThatOverwritingWouldMissThenItIsAProgrammerError) {
  const OutputFolder output(folder_, Earlier::kRefuse);
  EXPECT_THROW(output.file("results.txt"), std::logic_error);
  EXPECT_THROW(write_text_file(output.file("results.txt"), ""), std::logic_error);
}

TEST_F(OutputFolderTest, GivenATextThenItReplacesTheFileAndLeavesNoPart) {
  const OutputFolder output(folder_, Earlier::kRefuse);
  write_text_file(output.file("summary.json"), "first, and longer");
  write_text_file(output.file("summary.json"), std::string("a\0b\n", 4));
  EXPECT_EQ(content(folder_ / "summary.json"), std::string("a\0b\n", 4));
  EXPECT_FALSE(fs::exists(folder_ / "summary.json.part"));
}

TEST_F(OutputFolderTest, GivenAWriteThatFailsThenTheOldFileStaysAndThePartGoes) {
  const fs::path file = folder_ / "summary.json";
  write_text_file(file, "whole");
  const std::string message = [&] {
    const FileSizeLimit limit(100);
    return refusal_of<OutputError>([&] { write_text_file(file, std::string(1000, 'x')); });
  }();
  EXPECT_THAT(message, AllOf(HasSubstr(file.string()), HasSubstr("File too large")));
  EXPECT_EQ(content(file), "whole");
  EXPECT_FALSE(fs::exists(folder_ / "summary.json.part"));
}

TEST_F(OutputFolderTest, GivenAStreamThenTheFileIsWholeOrNotThere) {
  const OutputFolder output(folder_, Earlier::kRefuse);
  const std::string line(1000, 'x');
  write_text_file(output.file("trace.json"), [&](std::ostream& out) { out << line; });
  EXPECT_EQ(content(folder_ / "trace.json"), line);
  const std::string message = [&] {
    const FileSizeLimit limit(100);
    return refusal_of<OutputError>([&] {
      write_text_file(output.file("trace.json"), [&](std::ostream& out) { out << line << line; });
    });
  }();
  EXPECT_THAT(message, AllOf(HasSubstr("trace.json"), HasSubstr("File too large")));
  EXPECT_EQ(content(folder_ / "trace.json"), line);
  EXPECT_FALSE(fs::exists(folder_ / "trace.json.part"));
  fs::create_directory(folder_ / "trace.json.part");
  EXPECT_THROW(write_text_file(output.file("trace.json"), [](std::ostream&) {}), OutputError);
}

TEST_F(OutputFolderTest, GivenASingleFileThenWhetherItCanBeWrittenIsToldBeforehand) {
  check_writable(folder_ / "summary.json");
  EXPECT_FALSE(fs::exists(folder_ / "summary.json"));
  put(folder_ / "file");
  for (const fs::path& path : {folder_, folder_ / "", folder_ / "missing" / "summary.json",
                               folder_ / "file" / "summary.json", fs::path("/dev/null")}) {
    EXPECT_THROW(check_writable(path), OutputError) << path;
  }
  EXPECT_THAT(refusal_of<OutputError>([&] { check_writable(folder_ / "a b" / "summary.json"); }),
              AllOf(HasSubstr("there is no folder '"),
                    HasSubstr("mkdir -p '" + (folder_ / "a b").string() + "'")));
  EXPECT_THAT(refusal_of<OutputError>([&] { check_writable(folder_ / "file" / "below" / "new"); }),
              HasSubstr("file' is not a folder"));
}

TEST_F(OutputFolderTest, GivenAFolderWithTheNameOfATableThenTheRunIsRefusedBeforeItBegins) {
  put(folder_ / "effective.toml");
  for (const char* const name : {"load.csv", "diagnostics.csv.part", "summary.json"}) {
    fs::create_directory(folder_ / name);
    for (const Earlier earlier : {Earlier::kReplace, Earlier::kContinue}) {
      EXPECT_THAT(check_refusal(folder_, earlier),
                  AllOf(HasSubstr(std::string(name) + "' is a folder"), HasSubstr("--output")));
    }
    EXPECT_TRUE(fs::is_directory(folder_ / name));
    fs::remove(folder_ / name);
  }
}

}  // namespace
}  // namespace kumiko::io::test
