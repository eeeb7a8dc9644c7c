// The stored state that a run has begun with.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace kumiko::io {

/// The integral of a component u over the domain, before and after a state came onto a run's grid.
struct MassChange {
  double before = 0.0;
  double after = 0.0;
  double absolute = 0.0;  ///< the integral of |u| before

  /// The change over the integral of |u|; 0 for a field of zeros.
  double relative() const { return absolute > 0.0 ? (after - before) / absolute : 0.0; }
  bool operator==(const MassChange&) const = default;
};

/// The state of another run that a run has begun with, in place of its case's initial field.
struct BegunFrom {
  std::string file;  ///< its name, without a folder: equal runs have equal files
  std::string case_name;
  int step = 0;
  double time = 0.0;
  std::string state_hash = {};
  double begun_at = 0.0;              ///< time of the run's step 0
  bool has_exact = false;             ///< whether the case's exact solution is that of this run
  std::vector<MassChange> mass = {};  ///< of each component

  /// The relative change of mass that is farthest from 0.
  double mass_change() const;
  bool operator==(const BegunFrom&) const = default;
};

/// In the order of the documentation.
nlohmann::ordered_json to_json(const BegunFrom& begun);

}  // namespace kumiko::io
