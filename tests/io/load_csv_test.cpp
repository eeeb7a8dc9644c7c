// Contract: a row for each base step and worker, in the file at once; the file has its name when it
// is complete.
#include <gtest/gtest.h>

#include <kumiko/io/load_csv.hpp>
#include <kumiko/io/output_folder.hpp>

#include "output_fixture.hpp"

namespace kumiko::io::test {
namespace {

class LoadCsvTest : public OutputTest {
 protected:
  std::filesystem::path file() const { return folder_ / "load.csv"; }
};

TEST_F(LoadCsvTest, GivenTwoStepsOfTwoWorkersThenTheFileHasFourRows) {
  LoadCsv csv(file());
  csv.add({0, {{512, 0.25, 0.5, 3}, {256, 0.125, 0.0, 0}}});
  csv.add({1, {{0, 0.0, 1e-6, 0}, {768, 2.0, 0.0, 1}}});
  EXPECT_FALSE(std::filesystem::exists(file()));
  csv.finish();
  EXPECT_EQ(content(file()),
            "step,worker,updates,busy_s,wait_s,steals\n"
            "0,0,512,0.250000000,0.500000000,3\n"
            "0,1,256,0.125000000,0.000000000,0\n"
            "1,0,0,0.000000000,0.000001000,0\n"
            "1,1,768,2.000000000,0.000000000,1\n");
}

TEST_F(LoadCsvTest, GivenAFolderThatIsMissingThenTheErrorNamesTheFile) {
  try {
    LoadCsv csv(folder_ / "nowhere" / "load.csv");
    FAIL() << "no error";
  } catch (const OutputError& error) {
    EXPECT_NE(std::string(error.what()).find("nowhere"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace kumiko::io::test
