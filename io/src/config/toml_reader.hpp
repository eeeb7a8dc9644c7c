// TOML text as a flat list of settings. The only part that knows the TOML library.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/parameter.hpp>
#include <kumiko/io/detail/setting.hpp>

namespace kumiko::io {

/// Every table and every value of a document, in the order of the document. `name` stands for the
/// file. Throws ConfigError, with line and column, when the text is not TOML.
std::vector<detail::Setting> read_toml(std::string_view text, const std::string& name);

/// A single value, written as on the right side of "key = ". Nothing when the text is not exactly
/// that, or of a type that no parameter has.
std::optional<amr::ParameterValue> read_toml_value(const std::string& text);

}  // namespace kumiko::io
