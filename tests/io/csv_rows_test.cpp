// Contract: rows that an earlier part of a run left are found, up to a step, in whichever file has
// more of them.
#include <gmock/gmock.h>

#include <kumiko/io/csv_rows.hpp>
#include <kumiko/io/diagnostics_csv.hpp>
#include <kumiko/io/output_folder.hpp>

#include "output_fixture.hpp"

namespace kumiko::io::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CsvRowsTest : public OutputTest {
 protected:
  std::filesystem::path file() const { return folder_ / "diagnostics.csv"; }
  std::filesystem::path part() const { return folder_ / "diagnostics.csv.part"; }
};

TEST_F(CsvRowsTest, GivenATableThenLaterRowsAndTheUnfinishedLineAreLeftOut) {
  put(file(), "step,a\n0,x\n10,y\n20,z\n5");
  const CsvRows table = read_csv_rows(file(), 10);
  EXPECT_THAT(table.columns, ElementsAre("step", "a"));
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("0", "x"), ElementsAre("10", "y")));
}

TEST_F(CsvRowsTest, GivenAPartWithMoreRowsThenItCounts) {
  put(file(), "step,a\n0,old\n");
  put(part(), "step,a\n0,new\n5,new\n");
  EXPECT_THAT(read_csv_rows(file(), 9).rows,
              ElementsAre(ElementsAre("0", "new"), ElementsAre("5", "new")));
  EXPECT_THAT(read_csv_rows(file(), 3).rows, ElementsAre(ElementsAre("0", "old")));
}

TEST_F(CsvRowsTest, GivenNoTableOrRowsOfAnotherKindThenThereAreNone) {
  EXPECT_THAT(read_csv_rows(file(), 9).rows, IsEmpty());
  put(file(), "step,a\nzero,x\n1\n2,y,more\n");
  EXPECT_THAT(read_csv_rows(file(), 9).rows, IsEmpty());
}

TEST_F(CsvRowsTest, GivenRowsOfFewerWorkersThenTheTableGoesOnWithZerosForTheNewOnes) {
  {
    DiagnosticsCsv first(file(), 1, 1);
    first.row({0, 0.0, {4}, {1.0, 0.0, 1.0}, {0}});
    first.row({10, 0.5, {4}, {1.0, 0.0, 1.0}, {70}});
  }
  DiagnosticsCsv csv(file(), 1, 2, read_csv_rows(file(), 10));
  EXPECT_THAT(csv.earlier_updates(), ElementsAre(70, 0));
  csv.row({20, 1.0, {4}, {1.0, 0.0, 1.0}, {30, 40}});
  csv.finish();
  EXPECT_EQ(content(file()),
            "step,time,patches_0,mass,min,max,updates_0,updates_1\n"
            "0,0,4,1,0,1,0,0\n"
            "10,0.5,4,1,0,1,70,0\n"
            "20,1,4,1,0,1,30,40\n");
}

TEST_F(CsvRowsTest, GivenRowsOfAnotherTableThenTheyAreRefusedAndStay) {
  put(file(), "step,other\n0,1\n");
  EXPECT_THROW(DiagnosticsCsv(file(), 1, 1, read_csv_rows(file(), 10)), OutputError);
  EXPECT_EQ(content(file()), "step,other\n0,1\n");
}

}  // namespace
}  // namespace kumiko::io::test
