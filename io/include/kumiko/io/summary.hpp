// The summary of a finished run, as JSON: what was asked, how it went, how it ended.
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
#include <kumiko/io/origin.hpp>

namespace kumiko::io {

/// What one of several ranks did.
struct RankSummary {
  std::string host;
  int workers = 0;
  std::size_t patches = 0;     ///< at the end
  amr::WorkerLoad load;        ///< of its workers together
  std::uint64_t messages = 0;  ///< sent, and
  std::uint64_t bundles = 0;   ///< how many times they went together
  std::uint64_t bytes = 0;     ///< of bundles
  std::uint64_t peak_rss_bytes = 0;
};

/// What a run was and how it went. Values that the case cannot give are absent, and null in JSON.
struct RunSummary {
  std::string case_name;
  std::string solver;
  std::string backend;
  int workers = 0;
  std::string schedule;    ///< "dataflow" or "level"
  std::int64_t steps = 0;  ///< base steps taken
  double time = 0.0;       ///< reached
  double end_time = 0.0;   ///< at which the run ends
  double wall_s = 0.0;     ///< the stepping loop with regrid and output, without set-up

  std::optional<amr::ErrorNorms> errors;     ///< against the exact solution
  amr::FieldFigures field;                   ///< at the end
  std::vector<std::string> component_names;  ///< of the components in both, where there are several
  /// Of each component u (mass - initial mass) ÷ the initial integral of |u|; nothing where that
  /// integral is 0 or not known.
  std::vector<std::optional<double>> mass_drifts;
  /// The one that is farthest from 0; nothing when none is known.
  std::optional<double> mass_drift() const;
  bool open_domain = false;  ///< whether mass may enter and leave; drifts are not errors then

  amr::WorkCounters work;            ///< of the whole run
  double fraction_of_uniform = 0.0;  ///< of what the finest level's grid would take everywhere
  std::optional<double> updates_per_core_s;    ///< where steps were taken
  amr::MemoryUse memory;                       ///< at the end
  std::vector<std::size_t> patches_per_level;  ///< at the end
  std::size_t unnested_patches = 0;  ///< tagged at the latest regrid, but nesting forbade them
  std::uint64_t peak_rss_bytes = 0;  ///< of all ranks
  std::vector<RankSummary> ranks;    ///< where there are several
  std::uint64_t moved_patches = 0;   ///< between ranks
  std::string state_hash;
  Origin origin;
  /// The effective configuration by dotted key.
  amr::ParameterSet config;
};

/// The summary with its keys in the order of the documentation. "grid.base" of the configuration
/// becomes config → grid → base; a key that is also a table is a programmer error
/// (std::logic_error). Numbers that are not finite become null when the JSON is written.
nlohmann::ordered_json to_json(const RunSummary& summary);

/// The largest resident memory that this process has had.
std::uint64_t peak_rss_bytes();

}  // namespace kumiko::io
