// Contract: whatever a file holds, reading and writing it leaves no object of the HDF5 library
// open. The library keeps those in tables of its own, where no leak checker sees that they are
// lost.
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <hdf5.h>

#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/trace_file.hpp>

#include "hdf5/seal.hpp"
#include "output_fixture.hpp"
#include "state_fixture.hpp"
#include "trace_fixture.hpp"

namespace kumiko::io::test {
namespace {

using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

/// An identifier is a kind and a number that grows: every one that was given between two moments
/// can be asked whether it is still valid.
class OpenHandles {
 public:
  /// Descriptions of what was opened since this was made and has not been closed.
  std::vector<std::string> left() const {
    std::vector<std::string> names;
    const Marks now = marks();
    for (const auto& [kind, first] : before_) {
      for (hid_t id = first + 1; id < now.at(kind); ++id) {
        if (H5Iis_valid(id) > 0) names.push_back(kind);
      }
    }
    if (const ssize_t objects = H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL); objects != 0) {
      names.push_back(std::to_string(objects) + " objects of files");
    }
    return names;
  }

 private:
  using Marks = std::map<std::string, hid_t>;

  /// The identifiers that come next.
  static Marks marks() {
    const hsize_t extent = 1;
    const std::map<std::string, std::pair<hid_t, herr_t (*)(hid_t)>> probes = {
        {"a space", {H5Screate_simple(1, &extent, nullptr), H5Sclose}},
        {"a type", {H5Tcopy(H5T_NATIVE_INT), H5Tclose}},
        {"a list of properties", {H5Pcreate(H5P_DATASET_CREATE), H5Pclose}}};
    Marks next;
    for (const auto& [kind, probe] : probes) {
      next[kind] = probe.first;
      probe.second(probe.first);
    }
    return next;
  }

  Marks before_ = marks();
};

class HandleTest : public OutputTest {
 protected:
  /// What it opens at its first use the library may keep.
  static std::vector<std::string> left_by(const std::function<void()>& use) {
    use();
    const OpenHandles handles;
    use();
    return handles.left();
  }

  std::filesystem::path file() const { return folder_ / "state_000007.hdf"; }

  std::unique_ptr<amr::Hierarchy> hierarchy_ = example_hierarchy();
  Checkpoint checkpoint_ = example_checkpoint(*hierarchy_);
};

TEST_F(HandleTest, GivenHandlesThatStayOpenThenTheyAreCounted) {
  std::vector<std::pair<hid_t, herr_t (*)(hid_t)>> lost;
  const OpenHandles handles;
  const hsize_t extent = 1;
  lost.emplace_back(H5Screate_simple(1, &extent, nullptr), H5Sclose);
  lost.emplace_back(H5Tcopy(H5T_NATIVE_INT), H5Tclose);
  lost.emplace_back(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  EXPECT_THAT(handles.left(), IsSupersetOf({"a space", "a type", "a list of properties"}));
  for (const auto& [id, close] : lost) close(id);
  EXPECT_THAT(handles.left(), IsEmpty());
}

TEST_F(HandleTest, GivenStatesThatAreWrittenAndReadThenNothingStaysOpen) {
  for (const Compression compression : {Compression::kNone, Compression::kDeflate}) {
    const auto use = [&] {
      write_with(file(), checkpoint_, hierarchy_->geometry(), compression);
      read_state(file());
    };
    EXPECT_THAT(left_by(use), IsEmpty());
  }
}

TEST_F(HandleTest, GivenATraceThatIsWrittenAndReadThenNothingStaysOpen) {
  const auto use = [&] {
    write_trace(folder_ / "trace.hdf", small_trace());
    read_trace(folder_ / "trace.hdf");
  };
  EXPECT_THAT(left_by(use), IsEmpty());
}

TEST_F(HandleTest, GivenFilesThatAreRefusedHalfwayThenNothingStaysOpen) {
  write_with(file(), checkpoint_, hierarchy_->geometry());
  const std::string sealed = content(file());
  std::uint64_t end = 0;  // of what the seal is of, where the seal says it
  sealed.copy(reinterpret_cast<char*>(&end), sizeof(end), sealed.size() - 32);
  std::mt19937_64 random(3);  // the same places every time
  int refused = 0;
  const auto use = [&] {
    // Something has another name, and the seal is made anew: what is read before it has been
    // opened.
    constexpr std::array<std::string_view, 6> kNames = {"next_regrid",       "num_components",
                                                        "layout_version",    "unwanted",
                                                        "updates_per_level", "centring"};
    const std::string_view name = kNames[random() % kNames.size()];
    std::string changed = sealed.substr(0, end);
    const std::size_t at = changed.find(name);
    ASSERT_NE(at, std::string::npos) << name;
    changed[at] = 'q';
    const Extent all{0, changed.size(), hash_of(std::as_bytes(std::span(changed))), -1, 0};
    put(file(), changed + make_seal({&all, 1}));
    try {
      read_state(file());
    } catch (const CheckpointError&) {
      ++refused;
    }
    put(file(), "not a checkpoint");
    EXPECT_THROW(read_state(file()), CheckpointError);
  };
  for (int sample = 0; sample < 20; ++sample) EXPECT_THAT(left_by(use), IsEmpty());
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace kumiko::io::test
