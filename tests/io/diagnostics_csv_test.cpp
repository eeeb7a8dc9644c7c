// Contract: rows read back to the same bits, each is in the file at once, and a file that has its
// name is complete.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <kumiko/io/diagnostics_csv.hpp>
#include <kumiko/io/output_folder.hpp>

#include "output_fixture.hpp"

namespace kumiko::io::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class DiagnosticsCsvTest : public OutputTest {
 protected:
  std::filesystem::path file() const { return folder_ / "diagnostics.csv"; }
  std::filesystem::path part() const { return folder_ / "diagnostics.csv.part"; }
};

DiagnosticsRow example_row() {
  DiagnosticsRow row;
  row.step = 10;
  row.time = 0.1 + 0.2;
  row.dt = 0.125;
  row.largest_cfl = 0.75;
  row.patches = {256, 40, 0};
  row.field.mass = 0.05820312499999999;
  row.field.minimum = -1e-300;
  row.field.maximum = 1.0;
  row.updates = {18446744073709551615U, 0};
  return row;
}

TEST_F(DiagnosticsCsvTest, GivenRowsThenTheFileHasTheColumnsAndTheirValues) {
  DiagnosticsCsv csv(file(), 3, 2);
  csv.row(example_row());
  csv.finish();
  EXPECT_EQ(
      content(file()),
      "step,time,dt,largest_cfl,patches_0,patches_1,patches_2,mass,min,max,updates_0,updates_1\n"
      "10,0.30000000000000004,0.125,0.75,256,40,0,0.05820312499999999,-1e-300,1,"
      "18446744073709551615,0\n");
}

TEST_F(DiagnosticsCsvTest, GivenSeveralComponentsThenEachHasItsColumns) {
  DiagnosticsCsv csv(file(), 1, 1, {}, {"salt", "dye"});
  DiagnosticsRow row;
  row.patches = {16};
  row.field = {3.0, -1.0, 2.0, true, {{1.0, 0.0, 2.0}, {2.0, -1.0, 0.5}}};
  row.updates = {256};
  csv.row(row);
  row.field.components.pop_back();
  EXPECT_THROW(csv.row(row), std::invalid_argument);
  csv.finish();
  EXPECT_EQ(content(file()),
            "step,time,dt,largest_cfl,patches_0,mass,min,max,mass_salt,min_salt,max_salt,mass_dye,"
            "min_dye,max_dye,updates_0\n"
            "0,0,0,0,16,3,-1,2,1,0,2,2,-1,0.5,256\n");
}

TEST_F(DiagnosticsCsvTest, GivenRowsOfOtherComponentsThenTheyAreNotGoneOnWith) {
  DiagnosticsCsv(file(), 1, 1, {}, {"salt", "dye"}).finish();
  std::string columns = content(file());
  columns.pop_back();
  const auto count = static_cast<std::size_t>(std::ranges::count(columns, ',')) + 1;
  const std::vector<std::string> row(count, "0");
  const std::filesystem::path before = folder_ / "before.csv";
  put(before, fmt::format("{}\n{}\n", columns, fmt::join(row, ",")));
  const EarlierTable earlier(before, 0);
  EXPECT_NO_THROW(DiagnosticsCsv(file(), 1, 1, earlier, {"salt", "dye"}));
  EXPECT_THROW(DiagnosticsCsv(file(), 1, 1, earlier, {"salt", "ink"}), OutputError);
  EXPECT_THROW(DiagnosticsCsv(file(), 1, 1, earlier), OutputError);
}

TEST_F(DiagnosticsCsvTest, GivenAnyDoubleThenItReadsBackToTheSameBits) {
  DiagnosticsCsv csv(file(), 0, 0);
  const std::vector<double> values = {1.0 / 3.0, M_PI * 1e22, std::nextafter(1.0, 2.0),
                                      std::numeric_limits<double>::denorm_min()};
  for (const double value : values) {
    DiagnosticsRow row;
    row.field.mass = value;
    csv.row(row);
  }
  csv.finish();
  std::istringstream lines(content(file()));
  std::string line;
  std::getline(lines, line);
  for (const double value : values) {
    std::getline(lines, line);
    EXPECT_EQ(std::strtod(line.substr(std::string("0,0,0,0,,").size()).c_str(), nullptr), value)
        << line;
  }
}

TEST_F(DiagnosticsCsvTest, GivenNoFinishThenTheRowsStandUnderTheProvisionalName) {
  {
    DiagnosticsCsv csv(file(), 3, 2);
    csv.row(example_row());
    EXPECT_THAT(content(part()), HasSubstr("\n10,"));
  }
  EXPECT_FALSE(std::filesystem::exists(file()));
  EXPECT_THAT(content(part()), HasSubstr("\n10,"));
}

TEST_F(DiagnosticsCsvTest, GivenAFinishedFileThenTheProvisionalOneIsGone) {
  DiagnosticsCsv csv(file(), 1, 1);
  csv.finish();
  EXPECT_TRUE(std::filesystem::exists(file()));
  EXPECT_FALSE(std::filesystem::exists(part()));
}

TEST_F(DiagnosticsCsvTest, GivenAFullDiskThenTheRowThatDoesNotFitIsAnError) {
  DiagnosticsCsv csv(file(), 3, 2);
  const FileSizeLimit limit(80);
  const std::string message = refusal_of<OutputError>([&] { csv.row(example_row()); });
  EXPECT_THAT(message, AllOf(HasSubstr(part().string()), HasSubstr("File too large")));
}

TEST_F(DiagnosticsCsvTest, GivenADeviceWithoutSpaceThenTheErrorSaysSo) {
  std::filesystem::create_symlink("/dev/full", part());
  const std::string message = refusal_of<OutputError>([&] { DiagnosticsCsv(file(), 1, 1); });
  EXPECT_THAT(
      message,
      HasSubstr(
          "No space left on device; free space there, or name a folder elsewhere with --output"));
}

TEST_F(DiagnosticsCsvTest, GivenARowOfAnotherShapeThenItIsAProgrammerError) {
  DiagnosticsCsv csv(file(), 2, 2);
  EXPECT_THROW(csv.row(example_row()), std::invalid_argument);
}

}  // namespace
}  // namespace kumiko::io::test
