// Contract: files of uniform fields are read by NumPy and VTK, and by eye, with every bit; they are
// whole or not there.
#include <cstdlib>
#include <stdexcept>

#include <gmock/gmock.h>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/uniform_files.hpp>

#include "output_fixture.hpp"

namespace kumiko::io::test {
namespace {

using ::testing::HasSubstr;

/// Three by two points from (0.5, 0.25); read_uniform.py has the same.
UniformState small_state(amr::Centring centring) {
  UniformState state;
  state.field.window = {1, {2, 1}, {5, 3}};
  state.field.spacing = 0.25;
  state.field.centring = centring;
  state.field.x = {0.5, 0.75, 1.0};
  state.field.y = {0.25, 0.5};
  state.field.components = {{0.1, 1.0 / 3.0, 1e300, -0.0, 5.0, 6.5}, {10, 20, 30, 40, 50, 60}};
  state.field.levels = {0, 0, 1, 1, 2, 2};
  state.names = {"u", "time"};
  state.time = 0.375;
  state.step = 12;
  return state;
}

class UniformFiles : public OutputTest {};

TEST_F(UniformFiles, GivenArchivesAndImagesThenNumPyAndVtkReadEveryBit) {
  for (const auto& [name, centring] :
       {std::pair("node", amr::Centring::kNode), std::pair("cell", amr::Centring::kCell)}) {
    const UniformState state = small_state(centring);
    write_npz(folder_ / (std::string(name) + ".npz"), state);
    write_vti(folder_ / (std::string(name) + ".vti"), state);
  }
  const std::string command =
      std::string("'" KUMIKO_PYTHON "' '" KUMIKO_READ_UNIFORM "' '") + folder_.string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

TEST_F(UniformFiles, GivenEqualStatesThenTheirArchivesHaveEqualBytes) {
  write_npz(folder_ / "a.npz", small_state(amr::Centring::kNode));
  write_npz(folder_ / "b.npz", small_state(amr::Centring::kNode));
  EXPECT_EQ(content(folder_ / "a.npz"), content(folder_ / "b.npz"));
}

TEST_F(UniformFiles, GivenATableThenItHasARowForEachPointAndAnEmptyLineAfterEachRowOfThem) {
  write_table(folder_ / "field.txt", small_state(amr::Centring::kNode));
  EXPECT_EQ(content(folder_ / "field.txt"),
            "# time 0.375 step 12 spacing 0.25; nodes\n"
            "# x y level u time\n"
            "0.5 0.25 0 0.1 10\n"
            "0.75 0.25 0 0.3333333333333333 20\n"
            "1 0.25 1 1e+300 30\n\n"
            "0.5 0.5 1 -0 40\n"
            "0.75 0.5 2 5 50\n"
            "1 0.5 2 6.5 60\n\n");
}

TEST_F(UniformFiles, GivenADiskThatFillsUpThenNothingIsLeft) {
  UniformState state = small_state(amr::Centring::kCell);
  state.field.x.resize(300);
  state.field.components.assign(2, std::vector<double>(600));
  state.field.levels.resize(600);
  for (const auto write : {write_npz, write_vti, write_table}) {
    const FileSizeLimit limit(4'000);
    EXPECT_THAT(refusal_of<OutputError>([&] { write(folder_ / "field", state); }),
                HasSubstr("File too large"));
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
  }
}

TEST_F(UniformFiles, GivenNamesThatDoNotFitThenTheyAreRefused) {
  UniformState state = small_state(amr::Centring::kNode);
  state.names.pop_back();
  for (const auto write : {write_npz, write_vti, write_table}) {
    EXPECT_THROW(write(folder_ / "field", state), std::invalid_argument);
  }
}

}  // namespace
}  // namespace kumiko::io::test
