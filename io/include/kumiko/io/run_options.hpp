// Options of a run besides its problem: its workers, when it ends, and the files that it writes.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/option_field.hpp>
#include <kumiko/amr/simulation_options.hpp>
#include <kumiko/amr/times.hpp>
#include <kumiko/io/compression.hpp>
#include <kumiko/runtime/options.hpp>

namespace kumiko::io {

/// What to do when a checkpoint cannot be written.
enum class OnFailure { kContinue, kStop };

/// Their names, in this order.
constexpr std::array<std::string_view, 2> names_of(OnFailure) { return {"continue", "stop"}; }

/// How far apart things are: in base steps or in time.
struct Interval {
  int steps = 0;         ///< 0 = not by steps
  double seconds = 0.0;  ///< 0 = not by time
};

/// A table of values over time: at points or on a line, over a box, or extremes, of which exactly
/// one is given. fields<RecordOptions>() names the options by their keys.
struct RecordOptions {
  std::string name;
  amr::PointList points;
  std::vector<double> line_from;  ///< [x, y], as line_to
  std::vector<double> line_to;
  int line_points = 0;
  std::vector<double> box;  ///< [x0, y0, x1, y1]
  bool extremes = false;
  std::string component;  ///< empty: all
  int every = 1;          ///< base steps; 0 = by time alone
  double interval = 0.0;

  bool has_line() const { return !line_from.empty() || !line_to.empty() || line_points != 0; }
};

/// fields<RunOptions>() says what each option is for, and what it may be; it names them by their
/// keys.
struct RunOptions {
  std::string case_name;
  std::string solver_name = "semi_lagrangian_cubic";
  int stop_step = 0;          ///< 0 = the last
  double wall_limit_s = 0.0;  ///< 0 = none
  int workers = 0;            ///< 0 = all available
  runtime::IdlePolicy idle = runtime::IdlePolicy::kPressure;
  Interval checkpoints;
  double checkpoint_interval = 0.0;  ///< in the case's time, as the next ones; 0 = none
  int checkpoints_kept = 2;
  OnFailure on_failure = OnFailure::kContinue;
  int output_every = 0;  ///< base steps; 0 = the final state only
  double output_interval = 0.0;
  std::vector<double> output_times;
  bool output_exact = false;  ///< whether base steps end at the two above
  bool output_extras = false;
  Compression compression = Compression::kNone;
  int diagnostics_every = 10;  ///< base steps; 0 = by time alone
  double diagnostics_interval = 0.0;
  std::vector<RecordOptions> records;
  int trace_from = -1;  ///< base step; -1 = no trace
  int trace_steps = 40;

  /// The times of states to write, in addition to those of output_every.
  amr::Times times_of_output() const { return amr::Times(output_interval, output_times); }
  bool writes_initial_state() const {
    return std::ranges::find(output_times, 0.0) != output_times.end();
  }
};

/// The options that a configuration's values stand for, which are in their ranges each. Throws
/// amr::OptionError for a text that is not an amount.
template <class Options>
Options read(const amr::ParameterSet& values);
template <>
amr::SimulationOptions read<amr::SimulationOptions>(const amr::ParameterSet& values);
template <>
RunOptions read<RunOptions>(const amr::ParameterSet& values);

}  // namespace kumiko::io

namespace kumiko::amr {

template <>
const std::vector<OptionField<io::RunOptions>>& fields<io::RunOptions>();
template <>
const std::vector<OptionField<io::RecordOptions>>& fields<io::RecordOptions>();

}  // namespace kumiko::amr
