// How the records of checkpoints and files of the state are stored.
#pragma once

#include <array>
#include <string_view>

namespace kumiko::io {

enum class Compression {
  kNone,    ///< as they are, in one piece
  kDeflate  ///< each for itself, by HDF5's filters shuffle and deflate
};

/// Their names, in this order.
constexpr std::array<std::string_view, 2> names_of(Compression) { return {"none", "deflate"}; }

}  // namespace kumiko::io
