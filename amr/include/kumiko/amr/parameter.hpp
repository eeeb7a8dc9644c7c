// Typed parameters: declared once, checked, documented and read by name.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kumiko::amr {

/// The types a parameter may have. A list of integers serves sizes such as [256, 128], a list of
/// numbers an interval such as [0.25, 0.5].
using ParameterValue = std::variant<bool, std::int64_t, double, std::string,
                                    std::vector<std::int64_t>, std::vector<double>>;

/// One parameter: the default's alternative is its type.
struct ParameterSpec {
  std::string name;
  ParameterValue default_value;
  std::string help;                                           ///< one line
  double minimum = -std::numeric_limits<double>::infinity();  ///< numbers only, inclusive
  double maximum = std::numeric_limits<double>::infinity();   ///< numbers only, inclusive
  std::vector<std::string> choices = {};                      ///< strings only; empty = any
};

/// Values by name. Reading an absent name or another type is a programmer error (std::logic_error).
class ParameterSet {
 public:
  void set(const std::string& name, ParameterValue value) { values_[name] = std::move(value); }
  const ParameterValue& at(std::string_view name) const;
  bool contains(std::string_view name) const { return values_.find(name) != values_.end(); }
  bool flag(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  const std::vector<std::int64_t>& list(std::string_view name) const;
  const std::vector<double>& numbers(std::string_view name) const;
  const std::map<std::string, ParameterValue, std::less<>>& values() const { return values_; }

 private:
  std::map<std::string, ParameterValue, std::less<>> values_;
};

/// The defaults of a list of declarations.
ParameterSet defaults(const std::vector<ParameterSpec>& specs);

}  // namespace kumiko::amr
