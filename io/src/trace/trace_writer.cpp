#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <kumiko/io/compression.hpp>
#include <kumiko/io/trace_file.hpp>

#include "files/part_file.hpp"
#include "hdf5/hdf5_capture.hpp"
#include "hdf5/hdf5_source.hpp"
#include "hdf5/seal.hpp"
#include "trace/trace_layout.hpp"

namespace kumiko::io {

namespace {

using hdf5::Object;

/// How a dataset of so many values is stored: shuffled and deflated where that saves room, and the
/// library can.
Object properties_for(std::size_t values) {
  constexpr hsize_t kLongestChunk = 65536;  // fits the library's cache, whatever the type
  constexpr std::size_t kWorthIt = 1024;
  if (values < kWorthIt || !is_available(Compression::kDeflate)) {
    return hdf5::make_dataset_properties();
  }
  return hdf5::make_packed_properties(std::min<hsize_t>(values, kLongestChunk));
}

template <class Number>
void write_column(const Object& group, const char* name, const std::vector<Number>& values) {
  hdf5::write_list(group, name, values, properties_for(values.size()));
}

template <class Row, class Columns>
Object write_table(const Object& file, const char* name, const std::vector<Row>& rows,
                   const Columns& columns) {
  Object group = hdf5::make_group(file, name);
  for_each_column(columns, [&](const auto& column) {
    using Number = Stored<decltype(column.of(rows[0]))>;
    std::vector<Number> numbers;
    numbers.reserve(rows.size());
    for (const Row& row : rows) numbers.push_back(static_cast<Number>(column.of(row)));
    write_column(group, column.name, numbers);
  });
  return group;
}

/// Writes the kinds of the spans as strings of the longest one's length.
void write_names(const Object& group, const std::vector<amr::TraceSpan>& spans) {
  std::size_t length = 1;
  for (const amr::TraceSpan& span : spans) length = std::max(length, span.what.size());
  std::string all;
  for (const amr::TraceSpan& span : spans) {
    all += span.what;
    all.append(length - span.what.size(), '\0');
  }
  const Object type = hdf5::make_string_type(length);
  hdf5::write_dataset(group, "what", type.id(), hdf5::make_space({spans.size()}), all.data());
}

void write_contents(const Object& file, const amr::Trace& trace) {
  hdf5::set_attribute(file, kTraceFormat, kTraceLayout);
  hdf5::set_attribute(file, "version", std::string_view(KUMIKO_VERSION));
  for_each_column(kTraceFacts, [&](const auto& column) {
    hdf5::set_attribute(file, column.name, column.of(trace));
  });
  hdf5::set_attribute(file, "subcycling", std::int32_t{trace.subcycling});
  const Object patches = write_table(file, "patches", trace.patches, kPatchColumns);
  if (!trace.blocks.empty()) write_column(patches, "block", trace.blocks);
  write_table(file, "stretches", trace.windows, kWindowColumns);
  write_table(file, "phases", trace.phases, kPhaseColumns);
  write_table(file, "pieces", trace.pieces, kPieceColumns);
  write_names(write_table(file, "spans", trace.spans, kSpanColumns), trace.spans);
  const Object successors = hdf5::make_group(file, "successors");
  write_column(successors, "begin", trace.successors_begin);
  write_column(successors, "piece", trace.successors);
}

}  // namespace

void write_trace(const std::filesystem::path& file, const amr::Trace& trace) {
  constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 20U;
  PartFile part(file);
  hdf5::Capture capture;
  capture.fill(
      part.part().string(), [] { return hdf5::make_properties(H5P_FILE_ACCESS); },
      [&](const Object& captured) { write_contents(captured, trace); });
  FileWriter writer(part.part());
  std::vector<Extent> extents;
  for (std::uint64_t at = 0; at < capture.size(); at += kAtOnce) {
    const std::string bytes = capture.read(at, std::min(kAtOnce, capture.size() - at));
    extents.push_back({at, bytes.size(), hash_of(std::as_bytes(std::span(bytes)))});
    writer.write(bytes);
  }
  writer.write(make_seal(extents));
  writer.close();
  part.publish();
}

}  // namespace kumiko::io
