// The keys that every run has.
#pragma once

#include <string_view>
#include <vector>

#include <kumiko/io/schema.hpp>

namespace kumiko::io {

/// The list of tables of records.
inline constexpr const char* kRecords = "record";

/// Table by table, in the order of their names.
const std::vector<Key>& core_keys();

/// The key of an option, by the option's own name; nullptr for another name.
const Key* key_of_option(std::string_view option);

/// The current name of a key that is given by an earlier one; any other text unchanged.
std::string_view name_today(std::string_view key);

}  // namespace kumiko::io
