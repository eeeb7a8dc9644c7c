// A small text file, read whole.
#pragma once

#include <filesystem>
#include <string>

namespace kumiko::io {

/// The file's bytes. Throws ConfigError when it cannot be read, or is far larger than any
/// configuration.
std::string read_text_file(const std::filesystem::path& path);

}  // namespace kumiko::io
