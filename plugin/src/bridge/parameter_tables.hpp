// Converts parameters and their values to the C interface and back.
#pragma once

#include <deque>
#include <vector>

#include <kumiko/amr/parameter.hpp>
#include <kumiko/plugin/plugin_abi.h>

namespace kumiko::plugin::detail {

/// A value in C, which points into `value`.
kumiko_value to_c(const amr::ParameterValue& value);
/// A value of the C interface. Throws std::invalid_argument for an unknown type.
amr::ParameterValue from_c(const kumiko_value& value);

/// C declarations that point into declarations of ours.
class ParameterTable {
 public:
  /// `specs` must outlive the table.
  explicit ParameterTable(const std::vector<amr::ParameterSpec>& specs);
  const kumiko_parameter* data() const { return parameters_.data(); }
  std::size_t size() const { return parameters_.size(); }

 private:
  std::deque<std::vector<const char*>> choices_;
  std::vector<kumiko_parameter> parameters_;
};

/// Declarations of the C interface. Throws std::invalid_argument for one without a name or of an
/// unknown type.
std::vector<amr::ParameterSpec> from_c(const kumiko_parameter* parameters, std::size_t count);

/// Settings in C, which point into `set`.
std::vector<kumiko_setting> to_c(const amr::ParameterSet& set);
amr::ParameterSet from_c(const kumiko_setting* settings, std::size_t count);

}  // namespace kumiko::plugin::detail
