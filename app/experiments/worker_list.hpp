// Reads lists of numbers of workers from the command line, such as "1,2,4" or "1..64".
#pragma once

#include <string_view>
#include <vector>

namespace kumiko::app {

/// "1,2,4,8", in any order; "1..1024" stands for 1, 2, 4, ... as far as 1024, both ends included.
/// Returns them in rising order, each once. Throws RequestError, naming `option`, for anything
/// else, and for numbers below 1 or above `most`.
std::vector<int> parse_worker_list(std::string_view text, std::string_view option, int most);

}  // namespace kumiko::app
