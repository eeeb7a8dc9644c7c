// Compresses records as HDF5's filters "shuffle" and "deflate" do, and unpacks them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kumiko::io {

/// What the filters make of 64-bit values: their first bytes together, then their second ones and
/// so on (shuffle), as a zlib stream (RFC 1950). Throws std::bad_alloc.
std::vector<std::byte> pack(std::span<const double> record);

/// The way back. @return whether `packed` is a stream of exactly `record.size()` values
bool unpack(std::span<const std::byte> packed, std::span<double> record);

}  // namespace kumiko::io
