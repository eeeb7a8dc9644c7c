// Contract: rows that an earlier part of a run left are found, up to a step, in whichever file has
// more of them.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <kumiko/io/diagnostics_csv.hpp>
#include <kumiko/io/earlier_table.hpp>
#include <kumiko/io/load_csv.hpp>
#include <kumiko/io/output_folder.hpp>

#include "output_fixture.hpp"

namespace kumiko::io::test {
namespace {

using ::testing::ElementsAre;

class EarlierTableTest : public OutputTest {
 protected:
  std::filesystem::path file() const { return folder_ / "diagnostics.csv"; }
  std::filesystem::path part() const { return folder_ / "diagnostics.csv.part"; }
};

std::vector<std::string> lines(const EarlierTable& table) {
  std::vector<std::string> all;
  table.for_each([&](const EarlierTable::Fields& row) {
    all.push_back(fmt::format("{}", fmt::join(row, ",")));
  });
  return all;
}

TEST_F(EarlierTableTest, GivenATableThenLaterRowsAndTheUnfinishedLineAreLeftOut) {
  put(file(), "step,a\n0,x\n10,y\n20,z\n5");
  const EarlierTable table(file(), 10);
  EXPECT_THAT(table.columns(), ElementsAre("step", "a"));
  EXPECT_FALSE(table.empty());
  EXPECT_THAT(lines(table), ElementsAre("0,x", "10,y"));
  EXPECT_EQ(table.last_step(), 10);
}

TEST_F(EarlierTableTest, GivenAPartWithMoreRowsThenItCounts) {
  put(file(), "step,a\n0,old\n");
  put(part(), "step,a\n0,new\n5,new\n");
  EXPECT_THAT(lines(EarlierTable(file(), 9)), ElementsAre("0,new", "5,new"));
  EXPECT_THAT(lines(EarlierTable(file(), 3)), ElementsAre("0,old"));
}

TEST_F(EarlierTableTest, GivenNoTableOrRowsOfAnotherKindThenThereAreNone) {
  EXPECT_TRUE(EarlierTable(file(), 9).empty());
  put(file(), "step,a\nzero,x\n1\n2,y,more\n");
  EXPECT_TRUE(EarlierTable(file(), 9).empty());
}

TEST_F(EarlierTableTest, GivenRowsOfFewerWorkersThenTheTableGoesOnWithZerosForTheNewOnes) {
  {
    DiagnosticsCsv first(file(), 1, 1);
    first.row({0, 0.0, {4}, {1.0, 0.0, 1.0}, {0}});
    first.row({10, 0.5, {4}, {1.0, 0.0, 1.0}, {70}});
  }
  DiagnosticsCsv csv(file(), 1, 2, EarlierTable(file(), 10));
  EXPECT_THAT(csv.earlier_updates(), ElementsAre(70, 0));
  csv.row({20, 1.0, {4}, {1.0, 0.0, 1.0}, {30, 40}});
  csv.finish();
  EXPECT_EQ(content(file()),
            "step,time,dt,largest_cfl,patches_0,mass,min,max,updates_0,updates_1\n"
            "0,0,0,0,4,1,0,1,0,0\n"
            "10,0.5,0,0,4,1,0,1,70,0\n"
            "20,1,0,0,4,1,0,1,30,40\n");
}

TEST_F(EarlierTableTest, GivenRowsOfMoreOrFewerLevelsThenThereAreColumnsForAll) {
  const auto run = [&](int levels, int step, const std::vector<std::size_t>& patches) {
    DiagnosticsCsv csv(file(), levels, 1,
                       step == 0 ? EarlierTable() : EarlierTable(file(), step - 1));
    csv.row({step, 0.0, patches, {1.0, 0.0, 1.0}, {5}});
    csv.finish();
  };
  run(2, 0, {4, 2});
  run(3, 1, {4, 2, 1});
  run(1, 2, {4});
  EXPECT_EQ(content(file()),
            "step,time,dt,largest_cfl,patches_0,patches_1,patches_2,mass,min,max,updates_0\n"
            "0,0,0,0,4,2,0,1,0,1,5\n"
            "1,0,0,0,4,2,1,1,0,1,5\n"
            "2,0,0,0,4,0,0,1,0,1,5\n");
}

TEST_F(EarlierTableTest, GivenRowsOfAVersionWithoutTheStepsLengthThenItStaysEmptyInThem) {
  put(file(), "step,time,patches_0,mass,min,max,updates_0\n0,0,4,1,0,1,0\n10,0.5,4,1,0,1,70\n");
  DiagnosticsCsv csv(file(), 1, 1, EarlierTable(file(), 10));
  EXPECT_THAT(csv.earlier_updates(), ElementsAre(70));
  DiagnosticsRow row{20, 1.0, {4}, {1.0, 0.0, 1.0}, {30}};
  row.dt = 0.05;
  row.largest_cfl = 0.5;
  csv.row(row);
  csv.finish();
  EXPECT_EQ(content(file()),
            "step,time,dt,largest_cfl,patches_0,mass,min,max,updates_0\n"
            "0,0,,,4,1,0,1,0\n"
            "10,0.5,,,4,1,0,1,70\n"
            "20,1,0.05,0.5,4,1,0,1,30\n");
}

TEST_F(EarlierTableTest, GivenAFileThatLosesRowsMeanwhileThenThatIsAnError) {
  put(file(), "step,a\n0,x\n10,y\n");
  const EarlierTable table(file(), 10);
  put(file(), "step,a\n0,x\n");
  EXPECT_THROW(lines(table), OutputError);
}

TEST_F(EarlierTableTest, GivenManyRowsThenAllAreInTheFileThatGoesOnInTheirOrder) {
  std::string rows;
  for (int step = 0; step < 20'000; ++step) rows += fmt::format("{},0,1,2.0,0.0,3\n", step);
  const std::string header = "step,worker,updates,busy_s,wait_s,steals\n";
  const std::filesystem::path load = folder_ / "load.csv";
  put(folder_ / "load.csv.part", header + rows);
  LoadCsv csv(load, EarlierTable(load, 20'000));
  csv.add({20'000, {{5, 0.25, 0.5, 7}}});
  csv.finish();
  EXPECT_EQ(content(load), header + rows + "20000,0,5,0.250000000,0.500000000,7\n");
}

TEST_F(EarlierTableTest, GivenRowsOfAnotherTableThenTheyAreRefusedAndStay) {
  put(file(), "step,other\n0,1\n");
  EXPECT_THROW(DiagnosticsCsv(file(), 1, 1, EarlierTable(file(), 10)), OutputError);
  EXPECT_EQ(content(file()), "step,other\n0,1\n");
}

}  // namespace
}  // namespace kumiko::io::test
