// The records of a run: what they hold, and their files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/record_csv.hpp>

#include "run/due.hpp"
#include "run/record_plan.hpp"
#include "run/run_start.hpp"

namespace kumiko::app {

/// Writes the records of a run as they become due.
class RecordTables {
 public:
  /// Begins the files, with the rows that the run has up to the simulation's base step. Files of
  /// records that the run no longer has keep these rows. Throws io::OutputError, before it writes
  /// anything, if the rows of a record are those of another one.
  /// \param new_file  the place of a file that the run writes
  RecordTables(const Start& start, const amr::Simulation& simulation,
               const std::function<std::filesystem::path(const std::string& name)>& new_file);

  /// Base steps from `step` to the next row that is due by its number.
  int steps_left(int step) const;
  /// The next time after those that have been reached at which a row is due.
  double next(double reached) const;
  /// Writes the rows of the initial state.
  void write_first(const amr::Simulation& simulation);
  /// Writes the rows that are due now, as Due::is_now().
  void write(const amr::Simulation& simulation, double before, double reached);
  /// Gives the files their names.
  void finish();

 private:
  struct Table {
    Due due;
    RecordPlan plan;
    io::RecordCsv csv;
  };

  static void write_row(Table& table, const amr::Simulation& simulation);

  std::vector<Table> tables_;
  std::vector<io::RecordCsv> ended_;  ///< of records that the run no longer has
};

}  // namespace kumiko::app
