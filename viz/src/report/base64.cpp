#include "base64.hpp"

#include <cstdint>

namespace kumiko::viz::report {

std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t place = 0; place < 3; ++place) {
      const auto byte = place < group.size() ? static_cast<unsigned char>(group[place]) : 0U;
      bits = bits << 8U | byte;
    }
    for (std::size_t place = 0; place < 4; ++place) {
      const bool padding = place > group.size();
      text += padding ? '=' : kDigits[bits >> (18 - 6 * place) & 63U];
    }
  }
  return text;
}

}  // namespace kumiko::viz::report
