// A trace's file gives back what was written, whole or not at all, and nothing else is taken for
// one.
#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/trace_file.hpp>

#include "hdf5/seal.hpp"
#include "output_fixture.hpp"
#include "trace_fixture.hpp"

namespace kumiko::io::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

auto members(const amr::TracePatch& patch) {
  return std::tie(patch.level, patch.i, patch.j, patch.rank);
}
auto members(const amr::TracePiece& piece) {
  return std::tie(piece.begin_ns, piece.end_ns, piece.patch, piece.phase, piece.worker,
                  piece.awaited, piece.cause, piece.steals, piece.runnable, piece.io_in_flight);
}
auto members(const amr::TracePhase& phase) {
  return std::tie(phase.base_step, phase.level, phase.number, phase.kind, phase.first_piece,
                  phase.end_piece);
}
auto members(const amr::TraceWindow& window) {
  return std::tie(window.begin_ns, window.end_ns, window.first_step, window.steps,
                  window.first_phase, window.end_phase, window.first_patch, window.end_patch);
}
auto members(const amr::TraceSpan& span) {
  return std::tie(span.what, span.begin_ns, span.end_ns, span.base_step, span.loops_ns);
}
auto members(const amr::Trace& trace) {
  return std::tie(trace.case_name, trace.solver, trace.backend, trace.schedule, trace.workers,
                  trace.points_x, trace.points_y, trace.levels, trace.subcycling, trace.end_ns,
                  trace.blocks, trace.successors_begin, trace.successors);
}

template <class Row>
void expect_equal_rows(const std::vector<Row>& found, const std::vector<Row>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t at = 0; at < found.size(); ++at) {
    EXPECT_TRUE(members(found[at]) == members(expected[at])) << "row " << at;
  }
}

void expect_equal(const amr::Trace& found, const amr::Trace& expected) {
  EXPECT_TRUE(members(found) == members(expected));
  expect_equal_rows(found.patches, expected.patches);
  expect_equal_rows(found.windows, expected.windows);
  expect_equal_rows(found.phases, expected.phases);
  expect_equal_rows(found.pieces, expected.pieces);
  expect_equal_rows(found.spans, expected.spans);
}

class TraceFile : public OutputTest {
 protected:
  std::filesystem::path file() const { return folder_ / kTraceFile; }
  std::string refusal() const {
    return refusal_of<TraceError>([&] { read_trace(file()); });
  }

  /// Writes a small trace, lets `change` work on it by HDF5, and seals it anew.
  void forge(const std::function<void(hid_t)>& change) {
    write_trace(file(), small_trace());
    const hid_t hdf = H5Fopen(file().c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    ASSERT_GE(hdf, 0);
    change(hdf);
    H5Fclose(hdf);
    std::string bytes = content(file());
    const Extent all{0, bytes.size(), hash_of(std::as_bytes(std::span(bytes))), -1, 0};
    put(file(), bytes + make_seal({&all, 1}));
  }

  static void put_list(hid_t hdf, const char* path, hid_t type, const void* values, hsize_t count) {
    H5Ldelete(hdf, path, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t set = H5Dcreate2(hdf, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Sclose(space);
  }
};

TEST_F(TraceFile, GivenTraceWithSomeOfEverythingWhenWrittenAndReadThenEveryMemberIsBack) {
  write_trace(file(), small_trace());
  expect_equal(read_trace(file()), small_trace());
}

TEST_F(TraceFile, GivenRunsFolderWhenReadThenItsTraceIsFound) {
  write_trace(file(), small_trace());
  expect_equal(read_trace(folder_), small_trace());
}

TEST_F(TraceFile, GivenManyPiecesWhenWrittenAndReadThenEveryChunkIsBack) {
  const amr::Trace trace = long_trace(700, 150);
  write_trace(file(), trace);
  expect_equal(read_trace(file()), trace);
}

TEST_F(TraceFile, GivenTraceWithoutPiecesWhenWrittenAndReadThenItIsEmpty) {
  write_trace(file(), empty_trace());
  expect_equal(read_trace(file()), empty_trace());
}

TEST_F(TraceFile, GivenSameTraceWhenWrittenTwiceThenTheFilesAreTheSame) {
  write_trace(file(), small_trace());
  write_trace(folder_ / "other.hdf", small_trace());
  EXPECT_TRUE(content(file()) == content(folder_ / "other.hdf"));
}

TEST_F(TraceFile, GivenNoTraceWhenReadThenTheRemedyIsNamed) {
  EXPECT_THAT(refusal_of<TraceError>([&] { read_trace(folder_); }),
              AllOf(HasSubstr(folder_.string()), HasSubstr("trace.from=N")));
  EXPECT_THAT(refusal(), AllOf(HasSubstr(file().string()), HasSubstr("trace.from=N")));
}

TEST_F(TraceFile, GivenForeignFileWhenReadThenItIsNoTrace) {
  put(file(), "{\"traceEvents\":[]}");
  EXPECT_THAT(refusal(), HasSubstr("is not a trace"));
  put(file(), "");
  EXPECT_THAT(refusal(), HasSubstr("is empty"));
  H5Fclose(H5Fcreate((folder_ / "foreign.hdf").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_THAT(refusal_of<TraceError>([&] { read_trace(folder_ / "foreign.hdf"); }),
              HasSubstr("has no seal"));
}

TEST_F(TraceFile, GivenFileCutAnywhereWhenReadThenItIsRefusedInOneLineWithoutALibrarysWords) {
  write_trace(file(), small_trace());
  const std::string whole = content(file());
  ::testing::internal::CaptureStderr();
  for (std::size_t length = 0; length < whole.size(); length += 499) {
    put(file(), whole.substr(0, length));
    EXPECT_THAT(refusal(), AllOf(HasSubstr(file().string()), Not(HasSubstr("\n")))) << length;
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(TraceFile, GivenAnyByteChangedWhenReadThenItIsRefused) {
  write_trace(file(), small_trace());
  const std::string whole = content(file());
  for (std::size_t at = 0; at < whole.size(); at += 211) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    put(file(), damaged);
    EXPECT_THROW(read_trace(file()), TraceError) << at;
  }
}

TEST_F(TraceFile, GivenALinkOnTheWayWhenAnArchiveIsWrittenThenItIsAboveTheLinksFolder) {
  if (!otf2_available()) GTEST_SKIP() << "this build has no OTF2";
  std::filesystem::create_directories(folder_ / "far" / "deep");
  std::filesystem::create_directory_symlink(folder_ / "far" / "deep", folder_ / "link");
  write_otf2(folder_ / "link" / ".." / "archive", small_trace());
  EXPECT_TRUE(std::filesystem::exists(folder_ / "far" / "archive" / "traces.otf2"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "archive"));
}

TEST_F(TraceFile, GivenOtherLayoutVersionWhenReadThenTheRightProgramIsNamed) {
  forge([](hid_t hdf) {
    const hid_t attribute = H5Aopen(hdf, "trace_layout_version", H5P_DEFAULT);
    const int version = 7;
    H5Awrite(attribute, H5T_NATIVE_INT, &version);
    H5Aclose(attribute);
  });
  EXPECT_THAT(refusal(), AllOf(HasSubstr("has layout 7"), HasSubstr("a newer Kumiko")));
}

TEST_F(TraceFile, GivenColumnsOfUnequalLengthsWhenReadThenTheOddOneIsNamed) {
  const std::vector<std::int32_t> two = {0, 1};
  forge([&](hid_t hdf) { put_list(hdf, "/pieces/worker", H5T_NATIVE_INT32, two.data(), 2); });
  EXPECT_THAT(refusal(), HasSubstr("holds 2 values in '/pieces/worker', not 7"));
}

TEST_F(TraceFile, GivenMissingColumnWhenReadThenItIsRefused) {
  forge([](hid_t hdf) { H5Ldelete(hdf, "/phases/kind", H5P_DEFAULT); });
  EXPECT_THAT(refusal(), HasSubstr("cannot be read"));
}

TEST_F(TraceFile, GivenAFileFromBeforeTheRanksOfPatchesWhenReadThenTheyAreNotKnown) {
  forge([](hid_t hdf) { H5Ldelete(hdf, "/patches/rank", H5P_DEFAULT); });
  amr::Trace expected = small_trace();
  for (amr::TracePatch& patch : expected.patches) patch.rank = -1;
  expect_equal(read_trace(file()), expected);
}

TEST_F(TraceFile, GivenUnknownKindOrWorkerWhenReadThenTheContradictionIsNamed) {
  const std::vector<std::uint8_t> kinds = {0, 1, 0, 200, 0};
  forge([&](hid_t hdf) { put_list(hdf, "/phases/kind", H5T_NATIVE_UINT8, kinds.data(), 5); });
  EXPECT_THAT(refusal(), AllOf(HasSubstr("is damaged"), HasSubstr("kind 200")));
  const std::vector<std::int32_t> workers = {0, 1, 1, 0, 1, 2, 0};
  forge([&](hid_t hdf) { put_list(hdf, "/pieces/worker", H5T_NATIVE_INT32, workers.data(), 7); });
  EXPECT_THAT(refusal(), AllOf(HasSubstr("is damaged"), HasSubstr("worker 2")));
}

TEST_F(TraceFile, GivenMoreWorkersOrLevelsThanAnyRunHasWhenReadThenItIsRefused) {
  amr::Trace trace = small_trace();
  trace.workers = 1 << 30;
  write_trace(file(), trace);
  EXPECT_THAT(refusal(), HasSubstr("'workers'"));
  trace = small_trace();
  trace.levels = 1 << 30;
  write_trace(file(), trace);
  EXPECT_THAT(refusal(), HasSubstr("'levels'"));
}

TEST_F(TraceFile, GivenExtentsBeyondWhatTheFileHasWhenReadThenNoMemoryIsTakenForThem) {
  forge([](hid_t hdf) {
    H5Ldelete(hdf, "/successors/piece", H5P_DEFAULT);
    const hsize_t count = hsize_t{1} << 40U;
    const hsize_t chunk = 1024;
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 1, &chunk);
    H5Dclose(H5Dcreate2(hdf, "/successors/piece", H5T_NATIVE_UINT32, space, H5P_DEFAULT, properties,
                        H5P_DEFAULT));
    H5Pclose(properties);
    H5Sclose(space);
  });
  EXPECT_THAT(refusal(), HasSubstr("'/successors/piece'"));
}

TEST_F(TraceFile, GivenNoRoomWhenWrittenThenItIsSaidAndWhatWasThereStays) {
  put(file(), "mine");
  const FileSizeLimit limit(4096);
  EXPECT_THAT(refusal_of<OutputError>([&] { write_trace(file(), small_trace()); }),
              HasSubstr(file().string()));
  EXPECT_EQ(content(file()), "mine");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "trace.hdf.part"));
}

TEST_F(TraceFile, GivenNoFolderWhenWrittenThenItIsSaid) {
  EXPECT_THROW(write_trace(folder_ / "none" / "trace.hdf", small_trace()), OutputError);
}

}  // namespace
}  // namespace kumiko::io::test
