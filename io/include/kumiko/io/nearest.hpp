// "Did you mean": the known word that a misspelled one is closest to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kumiko::io {

/// The candidate with the fewest insertions, deletions, replacements and swaps of neighbours away
/// from `word`; the first of several equally near ones. Nothing if even the nearest is too far
/// away: more than two edits and more than a third of the word. A candidate "table.word" has
/// distance 0.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

/// "; did you mean 'WORD'?" with the nearest candidate, for the end of a message; empty if none is
/// near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace kumiko::io
