// "Did you mean": the known word that a misspelled one is closest to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kumiko::io {

/// The candidate with the fewest insertions, deletions, replacements and swaps of neighbours away
/// from `word`; the first of equals. Nothing when even that one is too far to be meant: more than
/// two edits and more than a third of the word. A candidate "table.word" counts as no edit away.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

/// "; did you mean 'WORD'?" of the nearest one, for the end of a message; empty where none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace kumiko::io
