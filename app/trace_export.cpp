#include "trace_export.hpp"

#include <ostream>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/trace_file.hpp>

#include "named_path.hpp"
#include "request.hpp"

namespace kumiko::app {

amr::Trace read_named_trace(const std::filesystem::path& path) {
  const bool is_folder = type_of_named(path) == std::filesystem::file_type::directory;
  if (is_folder) type_of_named(path / io::kTraceFile);
  return refusing<io::NotATrace>([&] { return io::read_trace(path); });
}

std::filesystem::path export_chrome(const amr::Trace& trace, const std::filesystem::path& output) {
  std::filesystem::path file = output / "trace.json";
  io::write_text_file(file, [&](std::ostream& out) { io::write_chrome_trace(out, trace); });
  return file;
}

std::filesystem::path export_otf2(const amr::Trace& trace, const std::filesystem::path& output) {
  std::filesystem::path folder = output / "trace_otf2";
  io::write_otf2(folder, trace);
  return folder;
}

std::filesystem::path export_csv(const amr::Trace& trace, const std::filesystem::path& output) {
  std::filesystem::path file = output / "trace.csv";
  io::write_text_file(file, [&](std::ostream& out) { io::write_trace_csv(out, trace); });
  return file;
}

}  // namespace kumiko::app
