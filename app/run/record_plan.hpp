// The columns of a record, and the values of a row.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/config.hpp>
#include <kumiko/io/run_options.hpp>

namespace kumiko::app {

/// Checks what the keys' own ranges do not say: names, kinds, places and components. Throws
/// io::ConfigError with the place of the key.
void check_records(const io::ConfigSource& source, const std::vector<io::RecordOptions>& records,
                   const amr::Case& the_case);

/// The columns of a record behind step and time, and the function that computes a row. Names hold
/// places and boxes, so that records with equal columns hold the same values.
struct RecordPlan {
  std::vector<std::string> columns;
  std::vector<double> x;  ///< of its points, if it has any
  std::vector<double> y;
  std::vector<std::size_t> components;
  std::function<std::vector<double>(const amr::Simulation&)> values;

  /// A row of points, from the values [component][point].
  std::vector<double> row_of(const std::vector<std::vector<double>>& all) const;
};

/// The plan of a record that check_records() has passed.
RecordPlan record_plan(const io::RecordOptions& record, const amr::Case& the_case);

}  // namespace kumiko::app
