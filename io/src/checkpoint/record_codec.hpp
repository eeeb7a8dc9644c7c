// Compresses records as HDF5's filters "shuffle" and "deflate" do, and unpacks them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kumiko::io {

/// Packs 64-bit values as the filters do: their first bytes together, then their second ones and so
/// on (shuffle), as a zlib stream (RFC 1950). Throws std::bad_alloc.
std::vector<std::byte> pack(std::span<const double> record);

/// Unpacks what pack() made. \return whether `packed` is a stream of exactly `record.size()` values
bool unpack(std::span<const std::byte> packed, std::span<double> record);

}  // namespace kumiko::io
