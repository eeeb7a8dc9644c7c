#include "experiments/counts.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include <kumiko/io/read_number.hpp>

#include "options/options.hpp"
#include "terminal/request.hpp"

namespace kumiko::app {

namespace {

int number(std::string_view what, std::string_view text, int most) {
  const std::string word(text);
  const std::string fault = whole_number(1, static_cast<std::uint64_t>(most)).fault(word);
  refuse_if(!fault.empty(), "--{}: {}; give a list such as 1,2,4,8, or 1..16 for 1, 2, 4, 8 and 16",
            what, fault);
  return *io::read_number<int>(word);
}

}  // namespace

std::vector<int> parse_counts(std::string_view what, std::string_view list, int most) {
  constexpr std::string_view kRange = "..";
  std::set<int> counts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string_view part = list.substr(begin, end - begin);
    const std::size_t range = part.find(kRange);
    const int first = number(what, part.substr(0, range), most);
    const int last =
        range == part.npos ? first : number(what, part.substr(range + kRange.size()), most);
    refuse_if(first > last, "--{}: '{}' begins above its end; write '{}..{}'", what, part, last,
              first);
    for (std::int64_t count = first; count < last; count *= 2) {
      counts.insert(static_cast<int>(count));
    }
    counts.insert(last);
    begin = end + 1;
  }
  return {counts.begin(), counts.end()};
}

}  // namespace kumiko::app
