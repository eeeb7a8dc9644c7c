// How values are stored in HDF5 files, and whether this machine supports it.
#pragma once

#include <array>
#include <string_view>

namespace kumiko::io {

/// How the records of a checkpoint or the columns of a trace are stored.
enum class Compression {
  kNone,    ///< uncompressed and contiguous
  kDeflate  ///< each record separately, by HDF5's filters shuffle and deflate
};

/// Their names, in this order.
constexpr std::array<std::string_view, 2> names_of(Compression) { return {"none", "deflate"}; }

/// True if the HDF5 library has the filters, so that other programs can read the records with it.
bool is_available(Compression compression);

}  // namespace kumiko::io
