// A file, read whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>

namespace kumiko::io {

/// The file's bytes. Throws std::system_error when it cannot be read, or has more than `most`.
std::string read_whole_file(const std::filesystem::path& path,
                            std::size_t most = std::numeric_limits<std::size_t>::max());

/// "is missing" or "cannot be read", by what read_whole_file() has thrown.
const char* why_not_read(const std::system_error& error);

}  // namespace kumiko::io
