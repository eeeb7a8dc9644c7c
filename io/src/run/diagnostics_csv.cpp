#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kumiko/amr/require.hpp>
#include <kumiko/io/diagnostics_csv.hpp>
#include <kumiko/io/read_number.hpp>

#include "files/csv_file.hpp"

namespace kumiko::io {

namespace {

/// Columns before those of the step's length, which earlier versions do not write.
constexpr std::ptrdiff_t kStepColumns = 2;
/// Columns before those of the levels.
constexpr std::size_t kBeforeLevels = 4;

/// Columns before those of the workers.
std::vector<std::string> leading_columns(std::size_t levels,
                                         const std::vector<std::string>& components) {
  std::vector<std::string> columns = {"step", "time", "dt", "largest_cfl"};
  for (std::size_t level = 0; level < levels; ++level) {
    columns.push_back(fmt::format("patches_{}", level));
  }
  columns.insert(columns.end(), {"mass", "min", "max"});
  if (components.size() < 2) return columns;
  for (const std::string& name : components) {
    columns.insert(columns.end(), {"mass_" + name, "min_" + name, "max_" + name});
  }
  return columns;
}

std::string figures_of(const amr::FieldFigures& field) {
  return fmt::format("{},{},{}", field.mass, field.minimum, field.maximum);
}

}  // namespace

DiagnosticsCsv::DiagnosticsCsv(const std::filesystem::path& path, int levels, int workers,
                               const EarlierTable& earlier,
                               const std::vector<std::string>& components)
    : levels_(static_cast<std::size_t>(levels)),
      components_(components.size()),
      workers_(static_cast<std::size_t>(workers)),
      columns_(workers_),
      is_new_(earlier.empty()) {
  std::vector<std::string> old = earlier.columns();
  // Rows of an earlier version.
  const bool lacks_steps = old.size() > kStepColumns && old[kStepColumns] == "patches_0";
  if (lacks_steps) old.insert(old.begin() + kStepColumns, {"dt", "largest_cfl"});
  // Rows of a part of the run that might have more levels, or fewer.
  const auto is_of_level = [](const std::string& name) { return name.starts_with("patches_"); };
  const auto old_levels = static_cast<std::size_t>(std::ranges::count_if(old, is_of_level));
  level_columns_ = std::max(levels_, old_levels);
  std::vector<std::string> columns = leading_columns(level_columns_, components);
  const std::size_t leading = columns.size();
  const auto behind_levels = static_cast<std::ptrdiff_t>(kBeforeLevels + old_levels);
  const std::size_t more_levels = is_new_ ? 0 : level_columns_ - old_levels;
  const auto completed = [&](EarlierTable::Fields row) {
    if (lacks_steps) row.insert(row.begin() + kStepColumns, 2, "");
    row.insert(row.begin() + behind_levels, more_levels, "0");
    return row;
  };
  if (more_levels > 0 && old.size() >= kBeforeLevels + old_levels) {
    for (std::size_t level = level_columns_; level-- > old_levels;) {
      old.insert(old.begin() + behind_levels, fmt::format("patches_{}", level));
    }
  }
  if (!is_new_ && old.size() > leading) {
    columns_ = std::max(workers_, old.size() - leading);
  }
  for (std::size_t worker = 0; worker < columns_; ++worker) {
    columns.push_back(fmt::format("updates_{}", worker));
  }
  const bool fits = old.size() >= leading && std::equal(old.begin(), old.end(), columns.begin());
  if (!is_new_ && !fits) refuse_columns(path);
  earlier_updates_.resize(columns_);
  const auto line_of = [&](const EarlierTable::Fields& earlier_row) {
    EarlierTable::Fields row = completed(earlier_row);
    row.resize(columns.size(), "0");
    for (std::size_t worker = 0; worker < columns_; ++worker) {
      earlier_updates_[worker] += read_number<std::uint64_t>(row[leading + worker]).value_or(0);
    }
    return csv_line(row);
  };
  file_ = std::make_unique<CsvFile>(path, csv_line(columns), earlier, line_of);
}

DiagnosticsCsv::~DiagnosticsCsv() = default;

void DiagnosticsCsv::row(const DiagnosticsRow& row) {
  const std::size_t components = std::max<std::size_t>(row.field.components.size(), 1);
  amr::require(
      row.patches.size() == levels_ && components == components_ && row.updates.size() == workers_,
      "a row of diagnostics has {} levels, {} components and {} workers, its file has {}, "
      "{} and {}",
      row.patches.size(), components, row.updates.size(), levels_, components_, workers_);
  std::vector<std::uint64_t> updates = row.updates;
  updates.resize(columns_);
  std::vector<std::size_t> patches = row.patches;
  patches.resize(level_columns_);
  // fmt writes the shortest digits that read back to the same double.
  std::string figures = figures_of(row.field);
  for (const amr::FieldFigures& component : row.field.components) {
    figures += "," + figures_of(component);
  }
  file_->write(fmt::format("{},{},{},{},{},{},{}\n", row.step, row.time, row.dt, row.largest_cfl,
                           fmt::join(patches, ","), figures, fmt::join(updates, ",")));
}

void DiagnosticsCsv::finish() { file_->finish(); }

}  // namespace kumiko::io
