// Holds one value against the declaration of its key.
#pragma once

#include <stdexcept>
#include <string>

#include <kumiko/amr/parameter.hpp>
#include <kumiko/io/detail/setting.hpp>
#include <kumiko/io/schema.hpp>

namespace kumiko::io {

/// A value that its key refuses; what() says why, and what would do, but not where.
struct ValueError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// The key's type in words, e.g. "list of 2 integers".
std::string type_name(const Key& key);

/// The choices of a key, e.g. "'linear' or 'characteristic'".
std::string choices_text(const Key& key);

/// The value in the key's type: integers serve as numbers, one integer as a list. Throws ValueError
/// for another type, a value out of range and a text that is none of the choices.
amr::ParameterValue checked_value(const Key& key, amr::ParameterValue value);

/// The same for whatever stands in a file or on the command line.
amr::ParameterValue checked_setting(const Key& key, const detail::Setting& setting);

}  // namespace kumiko::io
