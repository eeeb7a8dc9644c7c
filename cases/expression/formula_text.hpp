// Characters and names in the text of formulas.
#pragma once

#include <cstddef>
#include <string_view>

namespace kumiko::cases::formula {

inline constexpr std::string_view kDigits = "0123456789";
inline constexpr std::string_view kNameStart =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
inline constexpr std::string_view kNameCharacters =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
inline constexpr std::string_view kBlank = " \t\r\n";

constexpr bool is_one_of(std::string_view set, char one) {
  return set.find(one) != std::string_view::npos;
}

/// The name that begins at an offset; empty if none does.
constexpr std::string_view name_at(std::string_view text, std::size_t offset) {
  if (offset >= text.size() || !is_one_of(kNameStart, text[offset])) return {};
  const std::string_view rest = text.substr(offset);
  return rest.substr(0, rest.find_first_not_of(kNameCharacters));
}

/// Without blanks at both ends. \param offset  grows by those at the start
constexpr std::string_view trimmed(std::string_view text, std::size_t& offset) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  offset += first;
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Calls visit(offset, name) for each name; a number's exponent, as in 1e3, is none.
template <class Visit>
void for_each_name(std::string_view text, Visit visit) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view name = name_at(text, at);
    const bool after_number = at > 0 && is_one_of("0123456789.", text[at - 1]);
    if (name.empty()) {
      ++at;
      continue;
    }
    if (!after_number) visit(at, name);
    at += name.size();
  }
}

}  // namespace kumiko::cases::formula
