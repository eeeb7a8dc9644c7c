#include <algorithm>

#include <fmt/format.h>

#include <kumiko/io/nearest.hpp>

namespace kumiko::io {

namespace {

/// Optimal string alignment distance, row by row: O(a × b) time, three rows of memory.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  if (word.empty()) return std::nullopt;
  // In a short word, most letters must be right.
  std::size_t fewest = std::min(std::max<std::size_t>(2, word.size() / 3), word.size() / 2) + 1;
  const std::string last_part = "." + std::string(word);
  std::optional<std::string> found;
  for (const std::string& candidate : candidates) {
    constexpr std::size_t kPrefix = 3;
    const bool is_begun = word.size() >= kPrefix && candidate.starts_with(word);
    const std::size_t distance = candidate.ends_with(last_part) ? 0
                                 : is_begun                     ? 1
                                                                : edits(word, candidate);
    if (distance >= fewest) continue;
    fewest = distance;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::optional<std::string> meant = nearest(word, candidates);
  return meant ? fmt::format("; did you mean '{}'?", *meant) : "";
}

}  // namespace kumiko::io
