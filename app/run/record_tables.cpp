#include "run/record_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <kumiko/amr/times.hpp>

#include "run/earlier_tables.hpp"

namespace kumiko::app {

RecordTables::RecordTables(
    const Start& start, const amr::Simulation& simulation,
    const std::function<std::filesystem::path(const std::string& name)>& new_file,
    const std::function<bool(const std::string& name, const io::EarlierTable& rows)>& is_given_up) {
  struct Begun {
    std::string file;
    RecordPlan plan;
    io::EarlierTable rows;
  };
  std::vector<Begun> all;
  for (const io::RecordOptions& record : start.setup.run.records) {
    const std::string file = io::record_file(record.name);
    all.push_back({file, record_plan(record, *start.setup.the_case),
                   earlier_rows(start, file, simulation.step(), RowSteps::kSome)});
    io::check_columns(start.path / file, all.back().plan.columns, all.back().rows);
  }
  for (std::size_t at = 0; at < all.size(); ++at) {
    auto& [file, plan, rows] = all[at];
    if (is_given_up(file, rows)) continue;
    const io::RecordOptions& record = start.setup.run.records[at];
    const bool is_watched = !plan.x.empty() && record.interval == 0.0;
    const Due due = is_watched ? Due(0, {}) : Due(record.every, amr::Times(record.interval));
    io::RecordCsv csv(new_file(file), plan.columns, rows);
    tables_.push_back({is_watched ? record.every : 0, due, std::move(plan), std::move(csv)});
  }
  if (start.earlier != io::Earlier::kContinue) return;
  for (const std::string& name : io::records_in(start.path)) {
    const std::string file = io::record_file(name);
    const io::EarlierTable rows(start.path / file, simulation.step());
    if (rows.empty() || std::ranges::find(all, file, &Begun::file) != all.end()) continue;
    ended_.emplace_back(new_file(file), io::record_columns(rows), rows);
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

void RecordTables::watch(amr::Simulation& simulation) {
  for (std::size_t at = 0; at < tables_.size(); ++at) {
    const Table& table = tables_[at];
    if (table.every == 0) continue;
    simulation.watch({table.plan.x, table.plan.y}, table.every);
    watched_.push_back(at);
  }
}

void RecordTables::write_first(const amr::Simulation& simulation) {
  for (Table& table : tables_) {
    write_row(table, simulation, simulation.step(), simulation.time(),
              values_now(table, simulation));
  }
}

void RecordTables::write(amr::Simulation& simulation, double before, double reached) {
  write_watched(simulation);
  for (Table& table : tables_) {
    if (!table.due.is_now(simulation.step(), before, reached)) continue;
    write_row(table, simulation, simulation.step(), simulation.time(),
              values_now(table, simulation));
  }
}

void RecordTables::write_watched(amr::Simulation& simulation) {
  if (watched_.empty()) return;
  for (const amr::WatchedValues& taken : simulation.take_watched()) {
    Table& table = tables_[watched_[taken.set]];
    write_row(table, simulation, taken.step, taken.time, table.plan.row_of(taken.values));
  }
}

std::vector<double> RecordTables::values_now(const Table& table,
                                             const amr::Simulation& simulation) {
  const RecordPlan& plan = table.plan;
  return plan.x.empty() ? plan.values(simulation)
                        : plan.row_of(simulation.value_at({plan.x, plan.y}));
}

void RecordTables::write_row(Table& table, const amr::Simulation& simulation, int step, double time,
                             const std::vector<double>& values) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (!std::ranges::all_of(values, is_finite)) simulation.check_finite();
  table.csv.row(step, time, values);
}

void RecordTables::finish() {
  for (Table& table : tables_) table.csv.finish();
  for (io::RecordCsv& csv : ended_) csv.finish();
}

}  // namespace kumiko::app
