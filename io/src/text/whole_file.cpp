#include "text/whole_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>

namespace kumiko::io {

std::string read_whole_file(const std::filesystem::path& path, std::size_t most) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
  if (file == nullptr) throw std::system_error(errno, std::generic_category());
  std::string text;
  std::array<char, 4096> block;
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), file.get())) {
    text.append(block.data(), got);
    if (text.size() > most) throw std::system_error(EFBIG, std::generic_category());
  }
  if (std::ferror(file.get())) throw std::system_error(errno, std::generic_category());
  return text;
}

const char* why_not_read(const std::system_error& error) {
  return error.code() == std::errc::no_such_file_or_directory ? "is missing" : "cannot be read";
}

}  // namespace kumiko::io
