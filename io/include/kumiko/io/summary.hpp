// The summary of a finished run, as JSON: its request, its course and its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/parameter.hpp>
#include <kumiko/amr/statistics.hpp>
#include <kumiko/io/begun_from.hpp>
#include <kumiko/io/origin.hpp>

namespace kumiko::io {

/// The work of one of several ranks.
struct RankSummary {
  std::string host;
  int workers = 0;
  std::size_t patches = 0;     ///< at the end
  amr::WorkerLoad load;        ///< the sum over its workers
  std::uint64_t messages = 0;  ///< messages sent
  std::uint64_t bundles = 0;   ///< bundles in which they were sent
  std::uint64_t bytes = 0;     ///< bytes of the bundles
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t preempted = 0;  ///< see preemptions()
};

/// Description and results of a run. Values that the case does not provide are absent, and null in
/// JSON.
struct RunSummary {
  std::string case_name;
  std::string solver;
  std::string backend;
  int workers = 0;
  std::string schedule;    ///< "dataflow" or "level"
  std::int64_t steps = 0;  ///< base steps taken
  double time = 0.0;       ///< reached
  double end_time = 0.0;   ///< time at which the run is to end
  double wall_s = 0.0;     ///< the stepping loop with regrid and output, without set-up

  std::optional<amr::ErrorNorms> errors;  ///< against the exact solution
  amr::FieldFigures field;                ///< at the end
  std::vector<std::string>
      component_names;  ///< names of the components in both, if there are several
  /// For each component u: (mass - initial mass) ÷ the initial integral of |u|; nothing if that
  /// integral is 0 or not known.
  std::vector<std::optional<double>> mass_drifts;
  /// The drift that is farthest from 0; nothing if none is known.
  std::optional<double> mass_drift() const;
  bool open_domain = false;  ///< whether mass may enter and leave; drifts are not errors then

  amr::WorkCounters work;            ///< of the whole run
  double fraction_of_uniform = 0.0;  ///< point updates, divided by those of a grid with the finest
                                     ///< level's spacing everywhere
  std::optional<double> updates_per_core_s;    ///< if steps were taken
  amr::MemoryUse memory;                       ///< at the end
  std::vector<std::size_t> patches_per_level;  ///< at the end
  std::size_t unnested_patches = 0;  ///< patches that were tagged at the latest regrid, but not
                                     ///< made because they would not nest
  std::uint64_t peak_rss_bytes = 0;  ///< of all ranks
  std::vector<RankSummary> ranks;    ///< if there are several ranks
  std::uint64_t moved_patches = 0;   ///< patches moved between ranks
  std::string state_hash;
  std::optional<BegunFrom> begun_from;  ///< of a run that has not begun with its case's field
  Origin origin;
  /// The effective configuration by dotted key.
  amr::ParameterSet config;
};

/// The summary with its keys in the order of the documentation; "config" as config_json() has it.
/// Numbers that are not finite become null when the JSON is written.
nlohmann::ordered_json to_json(const RunSummary& summary);

/// Takes the loads of the workers and the imbalance from a summary. The sums over base steps, of
/// which it has the quotient alone, become those of a run with the same workers throughout. Throws
/// std::runtime_error or nlohmann::json::exception if it has none.
void read_work(const nlohmann::ordered_json& summary, amr::WorkCounters& work);

/// A configuration by dotted key as JSON: "grid.base" becomes grid → base. A key that is also a
/// table is a programmer error (std::logic_error).
nlohmann::ordered_json config_json(const amr::ParameterSet& config);

/// The largest resident memory of this process so far.
std::uint64_t peak_rss_bytes();

/// How often the system has given a core of this process to another thread so far, although the
/// process's own could have continued.
std::uint64_t preemptions();

}  // namespace kumiko::io
