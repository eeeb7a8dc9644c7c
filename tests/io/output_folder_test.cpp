// Contract: a run writes to a folder that is new, empty or given up to it; nothing but files of
// runs is ever removed; a file appears whole or not at all.
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <kumiko/io/output_folder.hpp>

#include "output_fixture.hpp"

namespace kumiko::io::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class OutputFolderTest : public OutputTest {
 protected:
  static std::string check_refusal(const fs::path& path, bool overwrite = false) {
    return refusal_of<OutputError>([&] { OutputFolder::check(path, overwrite); });
  }
};

TEST_F(OutputFolderTest, GivenAMissingPathThenItPassesTheCheckAndIsMadeWithItsParents) {
  const fs::path path = folder_ / "a" / "b";
  OutputFolder::check(path, false);
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  const OutputFolder output(path, false);
  EXPECT_TRUE(fs::is_directory(path));
  EXPECT_EQ(output.file("summary.json"), path / "summary.json");
}

TEST_F(OutputFolderTest, GivenAnEmptyFolderOrASlashAtTheEndThenItIsTaken) {
  OutputFolder::check(folder_, false);
  OutputFolder::check(folder_ / "new" / "", false);
  const OutputFolder output(folder_ / "new" / "", false);
  EXPECT_TRUE(fs::is_directory(folder_ / "new"));
}

TEST_F(OutputFolderTest, GivenAUsedFolderThenItIsRefusedWithTheRemedyUnlessOverwriting) {
  put(folder_ / "anything");
  EXPECT_THAT(check_refusal(folder_), AllOf(HasSubstr(folder_.string()), HasSubstr("in use"),
                                            HasSubstr("--overwrite"), HasSubstr("--output")));
  EXPECT_THROW(OutputFolder(folder_, false), OutputError);
  OutputFolder::check(folder_, true);
}

TEST_F(OutputFolderTest, GivenAFileInThePlaceThenItIsRefusedEvenWhenOverwriting) {
  put(folder_ / "file");
  EXPECT_THAT(check_refusal(folder_ / "file", true), HasSubstr("no folder"));
  EXPECT_THAT(check_refusal(folder_ / "file" / "below", true), HasSubstr("no folder"));
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
  EXPECT_THAT(refusal_of<OutputError>([] { OutputFolder("/proc/kumiko", false); }),
              HasSubstr("/proc/kumiko"));
}

TEST_F(OutputFolderTest, GivenOverwriteThenFilesOfRunsGoAndAllElseStays) {
  const std::vector<std::string> of_runs = {
      "state_000010.hdf", "state_000020.hdf.part", "field_start.png", "field_end.png.part",
      "diagnostics.csv",  "diagnostics.csv.part",  "summary.json"};
  const std::vector<std::string> others = {"notes.txt", "photo.png", "state_1.hdf.bak",
                                           "config.toml", "my_state_000010.hdf"};
  for (const std::string& name : of_runs) put(folder_ / name);
  for (const std::string& name : others) put(folder_ / name);
  fs::create_directory(folder_ / "state_folder.hdf");
  fs::create_symlink("nowhere", folder_ / "state_link.hdf");

  const OutputFolder output(folder_, true);
  for (const std::string& name : of_runs) EXPECT_FALSE(fs::exists(folder_ / name)) << name;
  for (const std::string& name : others) EXPECT_EQ(content(folder_ / name), "mine") << name;
  EXPECT_TRUE(fs::is_directory(folder_ / "state_folder.hdf"));
  EXPECT_FALSE(fs::is_symlink(folder_ / "state_link.hdf"));
}

TEST_F(OutputFolderTest, GivenANameThatOverwritingWouldMissThenItIsAProgrammerError) {
  const OutputFolder output(folder_, false);
  EXPECT_THROW(output.file("results.txt"), std::logic_error);
  EXPECT_THROW(output.write_text("results.txt", ""), std::logic_error);
}

TEST_F(OutputFolderTest, GivenATextThenItReplacesTheFileAndLeavesNoPart) {
  const OutputFolder output(folder_, false);
  output.write_text("summary.json", "first, and longer");
  output.write_text("summary.json", std::string("a\0b\n", 4));
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
  const OutputFolder output(folder_, false);
  const std::string line(1000, 'x');
  output.write("trace.json", [&](std::ostream& out) { out << line; });
  EXPECT_EQ(content(folder_ / "trace.json"), line);
  const std::string message = [&] {
    const FileSizeLimit limit(100);
    return refusal_of<OutputError>(
        [&] { output.write("trace.json", [&](std::ostream& out) { out << line << line; }); });
  }();
  EXPECT_THAT(message, AllOf(HasSubstr("trace.json"), HasSubstr("File too large")));
  EXPECT_EQ(content(folder_ / "trace.json"), line);
  EXPECT_FALSE(fs::exists(folder_ / "trace.json.part"));
  fs::create_directory(folder_ / "trace.json.part");
  EXPECT_THROW(output.write("trace.json", [](std::ostream&) {}), OutputError);
}

TEST_F(OutputFolderTest, GivenASingleFileThenWhetherItCanBeWrittenIsToldBeforehand) {
  check_writable(folder_ / "summary.json");
  EXPECT_FALSE(fs::exists(folder_ / "summary.json"));
  put(folder_ / "file");
  for (const fs::path& path : {folder_, folder_ / "", folder_ / "missing" / "summary.json",
                               folder_ / "file" / "summary.json"}) {
    EXPECT_THROW(check_writable(path), OutputError) << path;
  }
}

}  // namespace
}  // namespace kumiko::io::test
