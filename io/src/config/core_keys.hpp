// The keys that every run has.
#pragma once

#include <vector>

#include <kumiko/io/schema.hpp>

namespace kumiko::io {

/// The core keys, table by table.
std::vector<Key> core_keys();

}  // namespace kumiko::io
