// The problems that `kumiko search` knows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kumiko/search/search.hpp>

namespace kumiko::app {

/// A problem that comes with Kumiko: its name, its sizes, and the function that counts.
struct SearchProblem {
  std::string name;
  std::uint64_t least;
  std::uint64_t most;
  /// The number of ways; empty if the search was stopped.
  std::function<std::optional<long>(int size, search::Outside& others, const std::stop_token& stop)>
      count;
};

const std::vector<SearchProblem>& search_problems();

}  // namespace kumiko::app
