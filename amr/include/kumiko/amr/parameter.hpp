// Typed parameters: declared once, checked, documented and read by name.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kumiko::amr {

/// Points of the plane, each [x, y].
using PointList = std::vector<std::array<double, 2>>;

/// The types a parameter may have; solvers and cases declare none that is a PointList. A list of
/// integers serves sizes such as [256, 128], a list of numbers an interval such as [0.25, 0.5].
using ParameterValue = std::variant<bool, std::int64_t, double, std::string,
                                    std::vector<std::int64_t>, std::vector<double>, PointList>;

/// One parameter: the default's alternative is its type.
struct ParameterSpec {
  std::string name;
  ParameterValue default_value;
  std::string help;                                           ///< one line
  double minimum = -std::numeric_limits<double>::infinity();  ///< numbers only, inclusive
  double maximum = std::numeric_limits<double>::infinity();   ///< numbers only, inclusive
  std::vector<std::string> choices = {};                      ///< strings only; empty = any
};

/// A parameter that is one of several texts.
inline ParameterSpec choice(std::string name, std::vector<std::string> choices,
                            std::string default_value, std::string help) {
  return {.name = std::move(name),
          .default_value = std::move(default_value),
          .help = std::move(help),
          .choices = std::move(choices)};
}

/// Values by name. Reading an absent name or another type is a programmer error (std::logic_error).
class ParameterSet {
 public:
  void set(const std::string& name, ParameterValue value) { values_[name] = std::move(value); }
  const ParameterValue& at(std::string_view name) const;
  bool contains(std::string_view name) const { return values_.find(name) != values_.end(); }
  bool flag(std::string_view name) const { return typed<bool>(name); }
  std::int64_t integer(std::string_view name) const { return typed<std::int64_t>(name); }
  double number(std::string_view name) const { return typed<double>(name); }
  const std::string& text(std::string_view name) const { return typed<std::string>(name); }
  /// The index of a text among the allowed ones. Throws std::invalid_argument if it is not one of
  /// them.
  std::size_t choice(std::string_view name, const std::vector<std::string>& choices) const;
  const std::vector<std::int64_t>& list(std::string_view name) const {
    return typed<std::vector<std::int64_t>>(name);
  }
  const std::vector<double>& numbers(std::string_view name) const {
    return typed<std::vector<double>>(name);
  }
  const std::map<std::string, ParameterValue, std::less<>>& values() const { return values_; }

 private:
  template <class T>
  const T& typed(std::string_view name) const {
    if (const T* value = std::get_if<T>(&at(name))) return *value;
    throw std::logic_error("parameter '" + std::string(name) + "' is read as another type");
  }

  std::map<std::string, ParameterValue, std::less<>> values_;
};

/// The defaults of a list of declarations.
ParameterSet defaults(const std::vector<ParameterSpec>& specs);

}  // namespace kumiko::amr
