#include "run/record_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/core.h>

#include <kumiko/amr/times.hpp>

#include "terminal/terminal.hpp"

namespace kumiko::app {

RecordTables::RecordTables(
    const Start& start, const amr::Simulation& simulation,
    const std::function<std::filesystem::path(const std::string& name)>& new_file) {
  const std::vector<io::RecordOptions>& records = start.setup.run.records;
  const bool continues = start.earlier == io::Earlier::kContinue;
  std::map<std::string, io::EarlierTable> earlier;
  if (continues) {
    for (const std::string& name : io::records_in(start.path)) {
      earlier.try_emplace(name, start.path / io::record_file(name), simulation.step());
    }
  }
  std::vector<RecordPlan> plans;
  for (const io::RecordOptions& record : records) {
    plans.push_back(record_plan(record, *start.setup.the_case));
    io::check_columns(start.path / io::record_file(record.name), plans.back().columns,
                      earlier[record.name]);
  }
  for (std::size_t at = 0; at < records.size(); ++at) {
    const io::RecordOptions& record = records[at];
    const io::EarlierTable& rows = earlier[record.name];
    const std::string file = io::record_file(record.name);
    if (continues && start.from && rows.empty()) {
      print_warning("'{}' has no rows of the run's part before this restart; it begins here",
                    (start.path / file).string());
    }
    io::RecordCsv csv(new_file(file), plans[at].columns, rows);
    tables_.push_back(
        {Due(record.every, amr::Times(record.interval)), std::move(plans[at]), std::move(csv)});
    earlier.erase(record.name);
  }
  for (const auto& [name, rows] : earlier) {
    if (rows.empty()) continue;
    ended_.emplace_back(new_file(io::record_file(name)), io::record_columns(rows), rows);
  }
}

int RecordTables::steps_left(int step) const {
  int left = kLongestRound;
  for (const Table& table : tables_) left = std::min(left, table.due.steps_left(step));
  return left;
}

double RecordTables::next(double reached) const {
  double next = std::numeric_limits<double>::infinity();
  for (const Table& table : tables_) next = std::min(next, table.due.next(reached));
  return next;
}

void RecordTables::write_first(const amr::Simulation& simulation) {
  for (Table& table : tables_) write_row(table, simulation);
}

void RecordTables::write(const amr::Simulation& simulation, double before, double reached) {
  for (Table& table : tables_) {
    if (table.due.is_now(simulation.step(), before, reached)) write_row(table, simulation);
  }
}

void RecordTables::write_row(Table& table, const amr::Simulation& simulation) {
  const std::vector<double> values = table.plan.values(simulation);
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (!std::ranges::all_of(values, is_finite)) simulation.check_finite();
  table.csv.row(simulation.step(), simulation.time(), values);
}

void RecordTables::finish() {
  for (Table& table : tables_) table.csv.finish();
  for (io::RecordCsv& csv : ended_) csv.finish();
}

}  // namespace kumiko::app
