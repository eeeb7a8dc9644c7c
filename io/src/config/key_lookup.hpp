// Finds the keys of the settings of a configuration, and makes the errors for unknown names.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/io/config.hpp>
#include <kumiko/io/detail/setting.hpp>
#include <kumiko/io/schema.hpp>

namespace kumiko::io {

/// The part of a dotted name before its last dot; empty without one.
std::string_view table_of(std::string_view name);

/// The key that a setting is for; nullptr for the header of a known table. Throws ConfigError.
const Key* key_of(const Schema& schema, const detail::Setting& setting);

/// The error to throw for a setting of no key, with the name that was probably meant.
ConfigError unknown_key(const Schema& schema, const detail::Setting& setting);

/// The names of the tables that the file has.
std::set<std::string> headers_of(const std::vector<detail::Setting>& settings);

/// Refuses a value for a table of a list that the file does not have. Throws ConfigError.
void refuse_absent_entry(const std::set<std::string>& headers, const detail::Setting& setting);

}  // namespace kumiko::io
