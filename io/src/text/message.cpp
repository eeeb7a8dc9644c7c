#include "text/message.hpp"

#include <fmt/core.h>

#include <kumiko/io/one_line.hpp>

namespace kumiko::io {

namespace {

constexpr std::size_t kExcerpt = 80;

}  // namespace

std::string excerpt(std::string_view text) {
  if (text.size() <= kExcerpt) return one_line(text);
  std::size_t end = kExcerpt;
  // The cut must not lie within a UTF-8 sequence, whose later bytes are 10xxxxxx.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return one_line(text.substr(0, end)) + "...";
}

std::string counted(std::size_t count, std::string_view name) {
  return fmt::format("{} {}{}", count, name, count == 1 ? "" : "s");
}

std::string in_quotes(std::string_view text) { return fmt::format("'{}'", excerpt(text)); }

}  // namespace kumiko::io
