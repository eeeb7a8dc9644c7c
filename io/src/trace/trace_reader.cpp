#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include <fmt/core.h>

#include <kumiko/io/checkpoint_error.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/trace_file.hpp>

#include "hdf5/hdf5_source.hpp"
#include "hdf5/limits.hpp"
#include "trace/trace_layout.hpp"

namespace kumiko::io {

namespace {

namespace fs = std::filesystem;
using hdf5::Source;

/// A table's columns, which must be equally long. The first one must be there.
template <class Row, class Columns>
std::vector<Row> read_table(const Source& source, const std::string& group,
                            const Columns& columns) {
  const auto path_of = [&](const char* name) { return fmt::format("/{}/{}", group, name); };
  const std::string first = path_of(std::get<0>(columns).name);
  const std::size_t length = source.count(source.open_dataset(first), first, 1);
  if (length > kMostTraceRows) source.refuse(Source::odd(first));
  std::vector<Row> rows;
  const auto is_missing = [&](const auto& column) {
    return column.may_be_missing && !source.has(path_of(column.name));
  };
  // All are looked at before any is read, so that one that lies costs nothing.
  for_each_column(columns, [&](const auto& column) {
    if (is_missing(column)) return;
    source.expect<Stored<decltype(column.of(rows[0]))>>(path_of(column.name), length);
  });
  rows.resize(length);
  for_each_column(columns, [&](const auto& column) {
    if (is_missing(column)) return;
    const std::string path = path_of(column.name);
    const auto numbers = source.list<Stored<decltype(column.of(rows[0]))>>(path, length);
    for (std::size_t at = 0; at < length; ++at) {
      auto& member = column.of(rows[at]);
      member = static_cast<std::decay_t<decltype(member)>>(numbers[at]);
    }
  });
  return rows;
}

void read_names(const Source& source, std::vector<amr::TraceSpan>& spans) {
  const std::string path = "/spans/what";
  const std::vector<std::string> names = source.texts(path, spans.size());
  for (std::size_t at = 0; at < spans.size(); ++at) spans[at].what = names[at];
}

void check_layout(const Source& source) {
  if (!source.has_attribute(kTraceFormat)) {
    throw NotATrace(fmt::format("'{}' is {}not a trace; name the run's {}", source.name(),
                                source.has("/kumiko") ? "a checkpoint or a state, " : "",
                                kTraceFile));
  }
  const auto layout = source.number<std::int32_t>("/", kTraceFormat);
  if (layout == kTraceLayout) return;
  source.refuse(fmt::format("has layout {}, but this version of Kumiko reads {}; use {} Kumiko",
                            layout, kTraceLayout, layout > kTraceLayout ? "a newer" : "an older"));
}

amr::Trace trace_from(const Source& source) {
  check_layout(source);
  amr::Trace trace;
  for_each_column(kTraceFacts, [&](const auto& column) {
    if (column.may_be_missing && !source.has_attribute(column.name)) return;
    auto& member = column.of(trace);
    if constexpr (requires { member.size(); }) {
      member = source.attribute_text("/", column.name);
    } else {
      member = source.number<std::decay_t<decltype(member)>>("/", column.name);
    }
  });
  if (trace.workers > kMostWorkers) source.refuse(Source::odd("workers"));
  if (trace.levels > kMostLevels) source.refuse(Source::odd("levels"));
  trace.subcycling = source.number<std::int32_t>("/", "subcycling") != 0;
  trace.patches = read_table<amr::TracePatch>(source, "patches", kPatchColumns);
  if (const char* const blocks = "/patches/block"; source.has(blocks)) {
    trace.blocks = source.list<std::int32_t>(blocks, trace.patches.size());
  }
  trace.windows = read_table<amr::TraceWindow>(source, "stretches", kWindowColumns);
  trace.phases = read_table<amr::TracePhase>(source, "phases", kPhaseColumns);
  trace.pieces = read_table<amr::TracePiece>(source, "pieces", kPieceColumns);
  trace.spans = read_table<amr::TraceSpan>(source, "spans", kSpanColumns);
  read_names(source, trace.spans);
  trace.successors_begin = source.list<std::uint64_t>("/successors/begin", trace.pieces.size() + 1);
  trace.successors = source.list<std::uint32_t>("/successors/piece");
  try {
    amr::check(trace);
  } catch (const std::invalid_argument& error) {
    source.refuse(fmt::format("is damaged: {}", error.what()));
  }
  return trace;
}

/// The file itself, where a run's folder is named.
fs::path file_of(const fs::path& path) {
  std::error_code missing;
  if (!fs::is_directory(path, missing)) {
    if (fs::exists(path, missing)) return path;
    throw NotATrace(
        fmt::format("there is no '{}'; run the case with --set trace.from=N, where N is the first "
                    "base step to trace, to write a {}",
                    path.string(), kTraceFile));
  }
  fs::path file = path / kTraceFile;
  if (fs::exists(file, missing)) return file;
  throw NotATrace(
      fmt::format("there is no {} in '{}'; run the case with --set trace.from=N, where N is the "
                  "first base step to trace",
                  kTraceFile, path.string()));
}

}  // namespace

amr::Trace read_trace(const fs::path& path) {
  const fs::path file = file_of(path);
  try {
    return hdf5::read_sealed(file, "trace", hdf5::Stored::kPacked, trace_from);
  } catch (const NotACheckpoint& error) {  // of the seal
    throw NotATrace(error.what());
  } catch (const DamagedCheckpoint& error) {
    throw TraceError(fmt::format(
        "{}; run the case again with --set trace.from=N to record another one", error.what()));
  } catch (const CheckpointError& error) {
    throw TraceError(error.what());
  }
}

}  // namespace kumiko::io
