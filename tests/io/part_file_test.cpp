// Contract: one process at a time writes a file or a folder under its provisional name. Others are
// refused and harm neither the part nor the file; what a killed process has left is taken over.
#include "files/part_file.hpp"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/csv_file.hpp"
#include "output_fixture.hpp"

namespace kumiko::io::test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class PartFileTest : public OutputTest {};

TEST_F(PartFileTest, GivenAFileInPartsWhenAnotherWritesItThenThatIsRefusedAndThePartStays) {
  const fs::path file = folder_ / "page.html";
  PartFile first(file);
  put(first.part(), "first");
  EXPECT_THAT(refusal_of<OutputError>([&] { write_text_file(file, "second"); }),
              HasSubstr("another process is writing '" + file.string() + "'"));
  first.publish();
  EXPECT_EQ(content(file), "first");
  write_text_file(file, "second");
  EXPECT_EQ(content(file), "second");
  EXPECT_FALSE(fs::exists(folder_ / "page.html.part"));
}

TEST_F(PartFileTest, GivenAFolderInPartsWhenAnotherWritesItThenThatIsRefusedAndThePartStays) {
  const fs::path target = folder_ / "plt_000007";
  write_folder(target, [&](const fs::path& part) {
    put(part / "Header", "first");
    EXPECT_THAT(refusal_of<OutputError>([&] { write_folder(target, [](const fs::path&) {}); }),
                HasSubstr("another process is writing '" + target.string() + "'"));
  });
  EXPECT_EQ(content(target / "Header"), "first");
}

TEST_F(PartFileTest, GivenPartsOfKilledProcessesThenTheyAreTakenOver) {
  put(folder_ / "page.html.part", "the beginning of a longer page");
  write_text_file(folder_ / "page.html", "page");
  EXPECT_EQ(content(folder_ / "page.html"), "page");
  fs::create_directories(folder_ / "plt.part" / "Level_0");
  put(folder_ / "trace.part");
  for (const char* const name : {"plt", "trace"}) {
    write_folder(folder_ / name, [](const fs::path& part) { EXPECT_TRUE(fs::is_empty(part)); });
    EXPECT_TRUE(fs::is_directory(folder_ / name));
    EXPECT_FALSE(fs::exists(folder_ / (std::string(name) + ".part")));
  }
}

TEST_F(PartFileTest, GivenManyProcessesThatWriteOneFileThenItIsWholeAndEachOneDoneOrRefused) {
  constexpr int kProcesses = 8;
  const fs::path file = folder_ / "page.html";
  for (int process = 0; process < kProcesses; ++process) {
    if (::fork() != 0) continue;
    for (int round = 0; round < 20; ++round) {
      const std::size_t length = 1000 * static_cast<std::size_t>(process + 1);
      try {
        write_text_file(file, std::string(length, static_cast<char>('a' + process)));
      } catch (const OutputError& error) {
        const bool is_refused = std::string(error.what()).starts_with("another process is writing");
        if (!is_refused) ::_exit(1);
      }
    }
    ::_exit(0);
  }
  for (int process = 0; process < kProcesses; ++process) {
    int status = 0;
    ASSERT_GT(::wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  const std::string text = content(file);
  ASSERT_FALSE(text.empty());
  const auto length = 1000 * static_cast<std::size_t>(text.front() - 'a' + 1);
  EXPECT_EQ(text, std::string(length, text.front()));
  EXPECT_FALSE(fs::exists(folder_ / "page.html.part"));
}

TEST_F(PartFileTest, GivenATableWithoutRowsThenItsPartIsRemovedWithIt) {
  const fs::path part = folder_ / "load.csv.part";
  { const CsvFile empty(folder_ / "load.csv", "step\n", {}, {}); }
  EXPECT_FALSE(fs::exists(part));
  { CsvFile(folder_ / "load.csv", "step\n", {}, {}).write("1\n"); }
  EXPECT_EQ(content(part), "step\n1\n");
}

}  // namespace
}  // namespace kumiko::io::test
