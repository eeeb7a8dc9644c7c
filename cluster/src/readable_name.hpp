// Names of types for people.
#pragma once

#include <string>

namespace kumiko::cluster::detail {

/// The name as in the source of a type's std::type_info::name().
std::string readable_name(const char* mangled);

}  // namespace kumiko::cluster::detail
