// Contract: a plotfile holds every patch's points, where its header says, and is whole or not
// there.
#include <cstring>
#include <sstream>
#include <stdexcept>

#include <gmock/gmock.h>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/plotfile.hpp>

#include "output_fixture.hpp"
#include "state_fixture.hpp"

namespace kumiko::io::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class PlotfileTest : public OutputTest {
 protected:
  std::filesystem::path plotfile() const { return folder_ / "plt_000007"; }
  StoredState state() const { return {example_checkpoint(*hierarchy_), hierarchy_->geometry()}; }
  void write() const { write_plotfile(plotfile(), state()); }

  std::unique_ptr<amr::Hierarchy> hierarchy_ = example_hierarchy();
};

TEST_F(PlotfileTest, GivenAHierarchyThenEachPlaceHoldsTheRecordOfItsPatch) {
  write();
  for (int index = 0; index < 3; ++index) {
    const std::filesystem::path of_level = plotfile() / ("Level_" + std::to_string(index));
    const std::string data = content(of_level / "Cell_D_00000");
    std::istringstream lines(content(of_level / "Cell_H"));
    const amr::Level& level = hierarchy_->level(index);
    std::size_t slot = 0;
    for (std::string line; std::getline(lines, line);) {
      const std::string prefix = "FabOnDisk: Cell_D_00000 ";
      if (line.rfind(prefix, 0) != 0) continue;
      const std::size_t offset = std::stoul(line.substr(prefix.size()));
      EXPECT_EQ(data.substr(offset, 4), "FAB ");
      const char* const values = data.data() + data.find('\n', offset) + 1;
      for (int component = 0; component < kComponents; ++component) {
        const amr::FieldArray wanted = level.patch(slot).now().interior(component);
        const std::size_t bytes = amr::kPatchPoints * sizeof(double);
        EXPECT_EQ(
            std::memcmp(values + static_cast<std::size_t>(component) * bytes, wanted.data(), bytes),
            0);
      }
      ++slot;
    }
    EXPECT_EQ(slot, level.size());
  }
  EXPECT_THAT(content(plotfile() / "Header"),
              AllOf(StartsWith("HyperCLaw-V1.1\n2\nu\nw\n2\n0.125\n2\n0 0\n2 1\n2 2 \n"),
                    HasSubstr("((0,0) (63,31) (0,0)) ((0,0) (127,63) (0,0))")));
}

TEST_F(PlotfileTest, GivenANameThatIsTakenThenWhatIsThereStays) {
  put(plotfile());
  EXPECT_THAT(refusal_of<OutputError>([&] { write(); }), HasSubstr("already exists"));
  EXPECT_EQ(content(plotfile()), "mine");
}

TEST_F(PlotfileTest, GivenADiskThatFillsUpThenNothingHasTheName) {
  {
    const FileSizeLimit limit(10'000);
    EXPECT_THAT(refusal_of<OutputError>([&] { write(); }), HasSubstr("File too large"));
  }
  EXPECT_FALSE(std::filesystem::exists(plotfile()));
  write();
  EXPECT_TRUE(std::filesystem::exists(plotfile() / "Header"));
}

TEST_F(PlotfileTest, GivenNamesThatDoNotFitThenTheyAreRefused) {
  StoredState one_name = state();
  one_name.checkpoint.attributes.component_names = {"u"};
  EXPECT_THROW(write_plotfile(plotfile(), one_name), std::invalid_argument);
}

TEST_F(PlotfileTest, GivenAStateWithExtrasThenTheFieldAloneIsWritten) {
  write();
  const std::filesystem::path other = folder_ / "plt_extras";
  write_plotfile(other, {example_with_extras(*hierarchy_), hierarchy_->geometry()});
  for (const char* file : {"Header", "Level_1/Cell_H", "Level_1/Cell_D_00000"}) {
    EXPECT_EQ(content(other / file), content(plotfile() / file)) << file;
  }
}

}  // namespace
}  // namespace kumiko::io::test
