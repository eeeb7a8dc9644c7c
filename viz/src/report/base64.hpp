// Encodes bytes as Base64, for data within an HTML page.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace kumiko::viz::report {

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

/// The numbers' bytes, as they lie in memory: little-endian, on the machines that Kumiko knows.
template <class Number>
std::string base64(std::span<const Number> numbers) {
  static_assert(std::is_arithmetic_v<Number>);
  return base64(std::string_view(reinterpret_cast<const char*>(numbers.data()),  // NOLINT
                                 numbers.size_bytes()));
}

}  // namespace kumiko::viz::report
