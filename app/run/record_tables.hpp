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
  /// \param new_file     the place of a file that the run writes
  /// \param is_given_up  whether a complete run leaves out a file whose rows are lost
  RecordTables(const Start& start, const amr::Simulation& simulation,
               const std::function<std::filesystem::path(const std::string& name)>& new_file,
               const std::function<bool(const std::string& name, const io::EarlierTable& rows)>&
                   is_given_up);

  /// Begins to watch points, which need no pause of the steps. Before the first step.
  void watch(amr::Simulation& simulation);
  /// Base steps from `step` to the next row for which the steps must pause.
  int steps_left(int step) const;
  /// The next time after those that have been reached at which a row is due.
  double next(double reached) const;
  /// Writes the rows of the initial state.
  void write_first(const amr::Simulation& simulation);
  /// Writes the rows that have become due since the last call, now as Due::is_now().
  void write(amr::Simulation& simulation, double before, double reached);
  /// Writes the rows of watched points alone, when a run has failed.
  void write_watched(amr::Simulation& simulation);
  /// Gives the files their names.
  void finish();

 private:
  struct Table {
    int every;  ///< of a record of points by base steps, which are watched; else 0
    Due due;    ///< of all others
    RecordPlan plan;
    io::RecordCsv csv;
  };

  static std::vector<double> values_now(const Table& table, const amr::Simulation& simulation);
  static void write_row(Table& table, const amr::Simulation& simulation, int step, double time,
                        const std::vector<double>& values);

  std::vector<Table> tables_;
  std::vector<std::size_t> watched_;  ///< tables by the number of their set of points
  std::vector<io::RecordCsv> ended_;  ///< of records that the run no longer has
};

}  // namespace kumiko::app
