// Writes the files of one run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/diagnostics_csv.hpp>
#include <kumiko/io/load_csv.hpp>
#include <kumiko/io/manifest.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/state_writer.hpp>
#include <kumiko/viz/state_image.hpp>

#include "run/record_tables.hpp"
#include "run/run_start.hpp"

namespace kumiko::app {

/// Writes the files of one run into its folder.
class RunFiles {
 public:
  /// Takes start.folder, if there is one. Throws io::OutputError.
  RunFiles(Start& start, amr::Backend& backend, const amr::Simulation& simulation);

  /// True if an earlier part of the run has left rows, which are continued.
  bool has_rows() const { return has_rows_; }
  /// True if the folder has the run's last state already.
  bool has_last_state() const { return has_last_state_; }

  /// Writes a row of diagnostics.csv, unless the table is lost.
  void diagnose(const amr::Simulation& simulation);
  /// The records, which the loop of the run writes as they become due.
  RecordTables& records() { return *records_; }
  /// Writes a state or a checkpoint. Throws amr::NonFiniteError rather than write a file from which
  /// no run can continue, and remove an older checkpoint.
  void output(const amr::Simulation& simulation, const io::RunHistory& history);
  /// Begins to write a checkpoint.
  void checkpoint(const amr::Simulation& simulation, const io::RunHistory& history);
  /// Writes a checkpoint of the state that a run which has failed has gone back to; errors are
  /// ignored.
  void checkpoint_of_failure(const amr::Simulation& simulation,
                             const io::RunHistory& history) noexcept;
  /// Waits until what was begun is in its files.
  void settle() { states_.settle(); }
  /// How long a checkpoint takes, at most, as far as is known.
  double checkpoint_s() const { return states_.longest_s(); }
  /// Keeps a trace until the stepping has ended, whose time its files shall not take.
  void end_trace(amr::Trace&& trace) { trace_ = std::move(trace); }
  /// Writes to load.csv the base steps that have been taken since the last call.
  void write_load(const amr::Simulation& simulation);

  /// Settles, and writes the trace, after a failure of the run: errors are ignored.
  void end_quietly() noexcept;

  /// The latest checkpoint or state, or the one that the run came from, if it is still there.
  std::optional<std::filesystem::path> latest() const;

  /// Writes a picture in the colours of the run's first one. Warns if it cannot be drawn or
  /// written, because a run must not fail for a picture.
  void write_picture(const amr::Simulation& simulation, const std::string& name);

  /// Writes the last files. The summary's presence says that the run is complete.
  void finish(const nlohmann::ordered_json& summary, const std::filesystem::path& copy);

 private:
  /// Begins the tables with the rows that the run has. A complete run leaves out tables whose rows
  /// are lost, which stay in the manifest, so that inspect goes on to miss them.
  void begin_tables(const Start& start, const amr::Simulation& simulation);
  /// Lets reports of faults name the run's plugins and the file to continue from.
  void advise();
  /// Writes the trace that was kept, if there is one.
  void write_trace();
  void give_up(const Start& start) const;
  double time_of(std::int64_t step, const std::filesystem::path& file) const;
  /// The place of a file that the run writes, which the earlier manifest does not cover any more.
  std::filesystem::path new_file(const std::string& name);

  const Setup& setup_;
  io::OutputFolder folder_;
  io::EarlierManifest earlier_;  ///< of the part of the run before this one
  std::optional<std::filesystem::path> from_;
  bool has_advised_ = false;  ///< reports of faults, and of which state
  std::optional<std::filesystem::path> advised_;
  bool has_last_state_;
  std::optional<RecordTables> records_;
  std::optional<io::DiagnosticsCsv> csv_;
  std::optional<io::LoadCsv> load_csv_;
  int next_load_;
  std::vector<std::uint64_t> reported_;  ///< updates per worker up to the last row
  bool has_rows_ = false;
  io::StateWriter states_;
  std::map<std::int64_t, double> times_;  ///< of the states that were written here
  std::optional<double> dt_;              ///< where all base steps have this length
  std::optional<viz::Range> colours_;
  std::optional<amr::Trace> trace_;
};

}  // namespace kumiko::app
