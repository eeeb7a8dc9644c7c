// One assignment in a configuration, before it is checked against the declared keys.
#pragma once

#include <string>
#include <variant>

#include <kumiko/amr/parameter.hpp>

namespace kumiko::io::detail {

/// The header of a table, which carries no value itself.
struct TableHeader {};

/// A value of a type that no parameter has.
struct ForeignValue {
  std::string kind;  ///< for messages, e.g. "a date"
};

/// The right side of a `KEY=VALUE` on the command line, which is read as the key's type.
struct OverrideText {
  std::string text;
};

struct Setting {
  std::string key;    ///< full dotted name
  std::string where;  ///< "file:line", or "--set KEY=VALUE"
  std::variant<TableHeader, ForeignValue, OverrideText, amr::ParameterValue> value;
};

}  // namespace kumiko::io::detail
