#include <hdf5.h>

#include <kumiko/io/compression.hpp>

namespace kumiko::io {

bool is_available(Compression compression) {
  return compression == Compression::kNone ||
         (H5Zfilter_avail(H5Z_FILTER_SHUFFLE) > 0 && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0);
}

}  // namespace kumiko::io
