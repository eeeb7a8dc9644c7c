#include <string>

#include <fmt/format.h>

#include <kumiko/io/load_csv.hpp>

#include "files/csv_file.hpp"

namespace kumiko::io {

namespace {

constexpr const char* kLoadColumns = "step,worker,updates,busy_s,wait_s,steals\n";

std::string lines_of(const std::filesystem::path& path, const CsvRows& earlier) {
  std::string lines;
  if (earlier.rows.empty()) return lines;
  if (csv_line(earlier.columns) != kLoadColumns) refuse_columns(path);
  for (const auto& row : earlier.rows) lines += csv_line(row);
  return lines;
}

}  // namespace

LoadCsv::LoadCsv(const std::filesystem::path& path, const CsvRows& earlier)
    : file_(std::make_unique<CsvFile>(path, kLoadColumns, lines_of(path, earlier))) {}

LoadCsv::~LoadCsv() = default;

void LoadCsv::add(const amr::BaseStepLoad& load) {
  std::string rows;
  for (std::size_t worker = 0; worker < load.workers.size(); ++worker) {
    const amr::WorkerLoad& own = load.workers[worker];
    rows += fmt::format("{},{},{},{:.9f},{:.9f},{}\n", load.step, worker, own.updates, own.busy_s,
                        own.wait_s, own.steals);
  }
  file_->write(rows);
}

void LoadCsv::finish() { file_->finish(); }

}  // namespace kumiko::io
