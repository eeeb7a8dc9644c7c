#include <iterator>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kumiko/io/diagnostics_csv.hpp>

#include "part_file.hpp"

namespace kumiko::io {

/// The unfinished file.
class DiagnosticsCsv::Part {
 public:
  explicit Part(const std::filesystem::path& path)
      : name_(path, Abandoned::kKeep), writer_(name_.part()) {}

  void write(const std::string& line) { writer_.write(line); }
  void finish() {
    writer_.close();
    name_.publish();
  }

 private:
  PartFile name_;
  FileWriter writer_;
};

namespace {

std::string header(int levels, int workers) {
  std::string line = "step,time,";
  for (int level = 0; level < levels; ++level) line += fmt::format("patches_{},", level);
  line += "mass,min,max";
  for (int worker = 0; worker < workers; ++worker) line += fmt::format(",updates_{}", worker);
  return line + "\n";
}

}  // namespace

DiagnosticsCsv::DiagnosticsCsv(const std::filesystem::path& path, int levels, int workers)
    : levels_(static_cast<std::size_t>(levels)),
      workers_(static_cast<std::size_t>(workers)),
      part_(std::make_unique<Part>(path)) {
  part_->write(header(levels, workers));
}

DiagnosticsCsv::~DiagnosticsCsv() = default;

void DiagnosticsCsv::row(const DiagnosticsRow& row) {
  if (row.patches.size() != levels_ || row.updates.size() != workers_) {
    throw std::invalid_argument(
        fmt::format("a row of diagnostics has {} levels and {} workers, its file has {} and {}",
                    row.patches.size(), row.updates.size(), levels_, workers_));
  }
  // fmt writes the shortest digits that read back to the same double.
  part_->write(fmt::format("{},{},{},{},{},{},{}\n", row.step, row.time,
                           fmt::join(row.patches, ","), row.mass, row.minimum, row.maximum,
                           fmt::join(row.updates, ",")));
}

void DiagnosticsCsv::finish() { part_->finish(); }

}  // namespace kumiko::io
