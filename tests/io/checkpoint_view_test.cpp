// Contract: a checkpoint shows every patch's points to other programs, its VTK view every leaf
// point once, and a file that has its name is whole.
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <hdf5.h>

#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/output_folder.hpp>

#include "output_fixture.hpp"
#include "state_fixture.hpp"

namespace kumiko::io::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A state file, open for reading.
class StateReader {
 public:
  explicit StateReader(const std::filesystem::path& path)
      : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    EXPECT_GE(file_, 0);
  }
  ~StateReader() { H5Fclose(file_); }
  StateReader(const StateReader&) = delete;
  StateReader& operator=(const StateReader&) = delete;

  bool has(const std::string& path) const {
    return H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0;
  }

  template <class Value>
  std::vector<Value> read(const std::string& path, hid_t type) const {
    const hid_t dataset = H5Dopen2(file_, path.c_str(), H5P_DEFAULT);
    const hid_t space = H5Dget_space(dataset);
    std::vector<Value> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    EXPECT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << path;
    H5Sclose(space);
    H5Dclose(dataset);
    return values;
  }
  std::vector<double> doubles(const std::string& path) const {
    return read<double>(path, H5T_NATIVE_DOUBLE);
  }
  std::vector<int> integers(const std::string& path) const {
    return read<int>(path, H5T_NATIVE_INT);
  }

  double attribute(const std::string& object, const char* name) const {
    const hid_t id = H5Aopen_by_name(file_, object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT);
    std::array<double, 3> values{};
    EXPECT_GE(H5Aread(id, H5T_NATIVE_DOUBLE, values.data()), 0) << name;
    H5Aclose(id);
    return values[0];
  }

  hid_t open(const std::string& path) const { return H5Dopen2(file_, path.c_str(), H5P_DEFAULT); }

 private:
  hid_t file_;
};

class WriteState : public OutputTest {
 protected:
  std::filesystem::path file() const { return folder_ / "state_000007.hdf"; }
  void expect_no_part() const {
    EXPECT_FALSE(std::filesystem::exists(folder_ / "state_000007.hdf.part"));
  }
  std::unique_ptr<amr::Hierarchy> hierarchy_ = example_hierarchy();
};

TEST_F(WriteState, GivenAHierarchyThenEveryPatchHasItsRecordInCanonicalOrder) {
  write_state(file(), *hierarchy_, example_attributes());
  const StateReader reader(file());
  for (int index = 0; index < 3; ++index) {
    const std::vector<double> data =
        reader.doubles("/level_" + std::to_string(index) + "/data:datatype=0");
    const amr::Level& level = hierarchy_->level(index);
    ASSERT_EQ(data.size(), level.size() * kComponents * amr::kPatchPoints);
    std::size_t at = 0;
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      for (int component = 0; component < kComponents; ++component) {
        for (int j = 0; j < amr::kPatchSize; ++j) {
          for (int i = 0; i < amr::kPatchSize; ++i) {
            ASSERT_EQ(data[at++], level.patch(slot).now()(i, j, component)) << "slot " << slot;
          }
        }
      }
    }
  }
}

TEST_F(WriteState, GivenALevelThenItsRecordsLieTogetherWhereTheLibrarySaysTheyDo) {
  write_state(file(), *hierarchy_, example_attributes());
  const std::string bytes = content(file());
  const StateReader reader(file());
  const hid_t dataset = reader.open("/level_1/data:datatype=0");
  const hid_t properties = H5Dget_create_plist(dataset);
  H5D_alloc_time_t time{};
  H5Pget_alloc_time(properties, &time);
  EXPECT_EQ(time, H5D_ALLOC_TIME_EARLY);
  EXPECT_EQ(H5Pget_layout(properties), H5D_CONTIGUOUS);
  const haddr_t offset = H5Dget_offset(dataset);
  H5Pclose(properties);
  H5Dclose(dataset);
  ASSERT_NE(offset, HADDR_UNDEF);
  const std::vector<double> data = reader.doubles("/level_1/data:datatype=0");
  ASSERT_LE(offset + data.size() * sizeof(double), bytes.size());
  EXPECT_EQ(std::memcmp(bytes.data() + offset, data.data(), data.size() * sizeof(double)), 0);
}

/// Counts how often each point of the finest level is covered by a leaf cell of a VTK level, and
/// compares the values with the field.
void count_cover(const StateReader& reader, int level, double finest, std::vector<int>& cover) {
  const std::string path = "/VTKHDF/Level" + std::to_string(level);
  const double h = reader.attribute(path, "Spacing");
  const int scale = static_cast<int>(h / finest);
  const int row = static_cast<int>(2.0 / finest);
  const std::vector<int> boxes = reader.integers(path + "/AMRBox");
  const std::vector<double> u = reader.doubles(path + "/CellData/u");
  const std::vector<double> w = reader.doubles(path + "/CellData/w");
  ASSERT_EQ(u.size(), w.size());
  std::size_t at = 0;
  for (std::size_t box = 0; box < boxes.size(); box += 6) {
    for (int j = boxes[box + 2]; j <= boxes[box + 3]; ++j) {
      for (int i = boxes[box]; i <= boxes[box + 1]; ++i) {
        ASSERT_EQ(u[at], exact(i * h, j * h, 0)) << i << " " << j << " level " << level;
        ASSERT_EQ(w[at++], exact(i * h, j * h, 1)) << i << " " << j << " level " << level;
        for (int part = 0; part < scale * scale; ++part) {
          const int y = j * scale + part / scale;
          ++cover.at(static_cast<std::size_t>(y * row + i * scale + part % scale));
        }
      }
    }
  }
  EXPECT_EQ(at, u.size());
}

TEST_F(WriteState, GivenPartlyCoveredPatchesThenTheLeafBoxesCoverTheDomainOnceWithTheirValues) {
  write_state(file(), *hierarchy_, example_attributes());
  const StateReader reader(file());
  std::vector<int> cover(256 * 128, 0);
  for (int level = 0; level < 3; ++level) count_cover(reader, level, 1.0 / 128.0, cover);
  EXPECT_THAT(cover, ::testing::Each(1));
}

TEST_F(WriteState, GivenMorePartsThanOneMappingJoinsThenTheValuesAreStillInOrder) {
  amr::Hierarchy fine(amr::Geometry(512, 256, {2.0, 1.0}, {}), 2,
                      amr::PatchShape{kComponents, 1, 0});
  std::vector<amr::PatchId> ids;
  for (int j = 0; j < 32; ++j) {
    for (int i = 0; i < 64; ++i) {
      // Every quadrant is a leaf somewhere, and every third patch is whole.
      if ((i / 2 + j / 2) % 3 != 0 && (i + j + j / 2) % 3 == 0) ids.push_back({1, i, j});
    }
  }
  fine.change(1, ids);
  fill(fine);
  write_state(file(), fine, example_attributes());
  const StateReader reader(file());
  std::vector<int> cover(1024 * 512, 0);
  for (int level = 0; level < 2; ++level) count_cover(reader, level, 1.0 / 512.0, cover);
  EXPECT_THAT(cover, ::testing::Each(1));
}

TEST_F(WriteState, GivenACoveredBaseLevelThenTheVtkViewStartsAboveIt) {
  amr::Hierarchy covered(amr::Geometry(32, 16, {2.0, 1.0}, {}), 3,
                         amr::PatchShape{kComponents, 1, 0});
  std::vector<amr::PatchId> ids;
  for (int j = 0; j < 2; ++j) {
    for (int i = 0; i < 4; ++i) ids.push_back({1, i, j});
  }
  covered.change(1, ids);
  fill(covered);
  write_state(file(), covered, example_attributes());
  const StateReader reader(file());
  EXPECT_EQ(reader.attribute("/VTKHDF/Level0", "Spacing"), 1.0 / 32.0);
  EXPECT_FALSE(reader.has("/VTKHDF/Level1"));
  EXPECT_TRUE(reader.has("/level_1"));
  EXPECT_FALSE(reader.has("/level_2")) << "a level without patches";
  std::vector<int> cover(64 * 32, 0);
  count_cover(reader, 0, 1.0 / 32.0, cover);
  EXPECT_THAT(cover, ::testing::Each(1));
}

TEST_F(WriteState, GivenAFileThenAReaderThatKnowsOnlyTheLayoutFindsEverythingRight) {
  for (const auto centring : {amr::Centring::kNode, amr::Centring::kCell}) {
    write_state(file(), *example_hierarchy(centring), example_attributes());
    const std::string command = std::string("'" KUMIKO_PYTHON "' '" KUMIKO_READ_STATE "' '") +
                                file().string() +
                                (centring == amr::Centring::kCell ? "' cell" : "' node");
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
}

TEST_F(WriteState, GivenAnEarlierFileThenItIsReplacedAndNoPartIsLeft) {
  put(file(), "no state");
  put(file() += ".part", "left by a run that was killed");
  write_state(file(), *hierarchy_, example_attributes());
  EXPECT_EQ(StateReader(file()).attribute("/kumiko", "step"), 7.0);
  expect_no_part();
}

TEST_F(WriteState, GivenADiskThatFillsUpThenTheErrorNamesTheCauseAndTheEarlierFileStays) {
  put(file(), "earlier");
  // In the records, in the metadata behind them, and at the very start.
  for (const rlim_t size : {150'000U, 20'000U, 0U}) {
    const std::string message = [&] {
      const FileSizeLimit limit(size);
      return refusal_of<std::runtime_error>(
          [&] { write_state(file(), *hierarchy_, example_attributes()); });
    }();
    EXPECT_THAT(message, AllOf(HasSubstr(file().string()), HasSubstr("File too large"))) << size;
    EXPECT_EQ(content(file()), "earlier") << size;
    expect_no_part();
  }
  write_state(file(), *hierarchy_, example_attributes());
  EXPECT_EQ(StateReader(file()).attribute("/kumiko", "step"), 7.0) << "the library still works";
}

TEST_F(WriteState, GivenAFolderThatIsMissingThenTheErrorNamesTheFile) {
  const std::filesystem::path lost = folder_ / "missing" / "state_000007.hdf";
  const std::string message =
      refusal_of<OutputError>([&] { write_state(lost, *hierarchy_, example_attributes()); });
  EXPECT_THAT(message, AllOf(HasSubstr(lost.string()), HasSubstr("No such file or directory")));
}

TEST_F(WriteState, GivenNamesThatDoNotFitThenTheyAreRefusedAndNothingIsWritten) {
  using Names = std::vector<std::string>;
  for (const Names& names : {Names{"u"}, Names{"u", "u"}, Names{"u", ""}, Names{"u", "a/b"}}) {
    RunAttributes attributes = example_attributes();
    attributes.component_names = names;
    EXPECT_THROW(write_state(file(), *hierarchy_, attributes), std::invalid_argument);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace kumiko::io::test
