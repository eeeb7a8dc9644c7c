#include "config/text_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include <kumiko/io/config.hpp>

#include "text/message.hpp"

namespace kumiko::io {

namespace {

constexpr std::size_t kLargest = std::size_t{1} << 20;

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

ConfigError unreadable(const std::filesystem::path& path, int reason) {
  return ConfigError(fmt::format("cannot read '{}': {}; give the path of a TOML file",
                                 one_line(path.string()), std::generic_category().message(reason)));
}

}  // namespace

std::string read_text_file(const std::filesystem::path& path) {
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) throw unreadable(path, errno);
  std::string text;
  std::array<char, 4096> block;
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), file.get())) {
    text.append(block.data(), got);
    if (text.size() > kLargest) throw unreadable(path, EFBIG);
  }
  if (std::ferror(file.get())) throw unreadable(path, errno);
  return text;
}

}  // namespace kumiko::io
