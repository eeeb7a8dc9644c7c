// Reads the numbers of workers or ranks that an experiment is to try.
#pragma once

#include <string_view>
#include <vector>

namespace kumiko::app {

/// Reads "1,2,4,8", in any order; "1..1024" stands for 1, 2, 4, ... as far as 1024, both ends
/// included. Throws RequestError. \return in rising order, each once
/// \param what  "workers" or "ranks", of --workers or --ranks
std::vector<int> parse_counts(std::string_view what, std::string_view list, int most);

}  // namespace kumiko::app
