#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <kumiko/io/load_csv.hpp>

#include "files/csv_file.hpp"

namespace kumiko::io {

namespace {

constexpr const char* kLoadColumns = "step,worker,updates,busy_s,wait_s,steals\n";

std::unique_ptr<CsvFile> start(const std::filesystem::path& path, const EarlierTable& earlier) {
  if (!earlier.empty() && csv_line(earlier.columns()) != kLoadColumns) refuse_columns(path);
  return std::make_unique<CsvFile>(path, kLoadColumns, earlier, csv_line<std::string_view>);
}

}  // namespace

LoadCsv::LoadCsv(const std::filesystem::path& path, const EarlierTable& earlier)
    : file_(start(path, earlier)) {}

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
