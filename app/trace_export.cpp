#include "trace_export.hpp"

#include <fmt/core.h>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/trace_file.hpp>

#include "named_path.hpp"

namespace kumiko::app {

namespace {

constexpr const char* kChrome = "chrome";
constexpr const char* kOtf2 = "otf2";
constexpr const char* kCsv = "csv";

}  // namespace

amr::Trace read_named_trace(const std::filesystem::path& path) {
  const bool is_folder = type_of_named(path) == std::filesystem::file_type::directory;
  if (is_folder) type_of_named(path / io::kTraceFile);
  try {
    return io::read_trace(path);
  } catch (const io::NotATrace& error) {
    throw RequestError(error.what());
  }
}

bool is_trace_format(const std::string& format) {
  return format == kChrome || format == kOtf2 || format == kCsv;
}

void check_trace_export(const Request& request) {
  if (!is_trace_format(request.format)) return;
  if (request.format == kOtf2 && !io::otf2_available()) {
    throw RequestError(
        "--format otf2: this build has no OTF2; configure it with KUMIKO_WITH_OTF2=ON, or choose "
        "chrome or csv");
  }
  if (request.files.size() > 1) {
    throw RequestError(fmt::format(
        "--format {}: of {} traces each would have the same name; export them one by one, each "
        "with its own --output",
        request.format, request.files.size()));
  }
}

std::filesystem::path export_trace(const std::filesystem::path& path, const std::string& format,
                                   const std::filesystem::path& output) {
  const amr::Trace trace = read_named_trace(path);
  if (format == kOtf2) {
    std::filesystem::path folder = output / "trace_otf2";
    io::write_otf2(folder, trace);
    return folder;
  }
  const bool chrome = format == kChrome;
  std::filesystem::path file = output / (chrome ? "trace.json" : "trace.csv");
  io::write_text_file(file, [&](std::ostream& out) {
    chrome ? io::write_chrome_trace(out, trace) : io::write_trace_csv(out, trace);
  });
  return file;
}

}  // namespace kumiko::app
