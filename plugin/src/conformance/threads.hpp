// Calls a function from several OS threads at once.
#pragma once

#include <barrier>
#include <cstddef>
#include <future>
#include <string_view>
#include <vector>

#include "conformance/subject.hpp"

namespace kumiko::plugin::conformance {

/// Calls function(0), function(1), ... on a thread each, all of which begin at the same time.
/// \param activity  for fault reports \return the sum of the results. Throws what the function
/// does, and std::system_error when there can be no further thread.
template <class Function>
int sum_of_threads(std::size_t count, std::string_view activity, Function function) {
  std::barrier start(static_cast<std::ptrdiff_t>(count));
  std::vector<std::future<int>> results;
  try {
    for (std::size_t thread = 0; thread < count; ++thread) {
      results.push_back(std::async(std::launch::async, [&, thread] {
        const CheckNote note(activity);
        start.arrive_and_wait();
        return function(thread);
      }));
    }
  } catch (...) {
    // Nobody waits for those that there are not.
    for (std::size_t missing = results.size(); missing < count; ++missing) start.arrive_and_drop();
    throw;
  }
  int sum = 0;
  for (std::future<int>& each : results) sum += each.get();
  return sum;
}

}  // namespace kumiko::plugin::conformance
