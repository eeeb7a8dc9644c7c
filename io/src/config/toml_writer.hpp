// Values and keys as TOML text.
#pragma once

#include <string>
#include <string_view>

#include <kumiko/amr/parameter.hpp>

namespace kumiko::io {

/// One part of a dotted key, in quotes where TOML asks for them.
std::string toml_key(std::string_view part);

/// A text as a TOML string in double quotes, on one line.
std::string toml_string(std::string_view text);

/// Reading the result gives the value back; a double keeps its type and its bits.
std::string toml_value(const amr::ParameterValue& value);

/// A document of all values, one table per first part of their names.
std::string toml_document(const amr::ParameterSet& values);

}  // namespace kumiko::io
