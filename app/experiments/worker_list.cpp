#include "experiments/worker_list.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "request.hpp"

namespace kumiko::app {

namespace {

constexpr std::string_view kRange = "..";

class WorkerList {
 public:
  WorkerList(std::string_view text, std::string_view option, int most)
      : text_(text), option_(option), most_(most) {}

  std::vector<int> parse() {
    for (std::size_t begin = 0; begin <= text_.size();) {
      const std::size_t end = std::min(text_.find(',', begin), text_.size());
      add(text_.substr(begin, end - begin));
      begin = end + 1;
    }
    std::sort(workers_.begin(), workers_.end());
    workers_.erase(std::unique(workers_.begin(), workers_.end()), workers_.end());
    return workers_;
  }

 private:
  void add(std::string_view part) {
    const std::size_t range = part.find(kRange);
    if (range == std::string_view::npos) {
      workers_.push_back(number(part));
      return;
    }
    const int first = number(part.substr(0, range));
    const int last = number(part.substr(range + kRange.size()));
    if (first > last) refuse(part);
    for (int workers = first; workers < last; workers *= 2) workers_.push_back(workers);
    workers_.push_back(last);
  }

  int number(std::string_view part) const {
    int value = 0;
    const char* const end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, value);
    if (error != std::errc() || stop != end || value < 1 || value > most_) refuse(part);
    return value;
  }

  [[noreturn]] void refuse(std::string_view part) const {
    throw RequestError(
        fmt::format("{}: '{}' in '{}' is not a number of workers; give a list such as 1,2,4,8, or "
                    "1..1024 for the powers of two, of numbers from 1 to {}",
                    option_, part, text_, most_));
  }

  std::string_view text_;
  std::string_view option_;
  int most_;
  std::vector<int> workers_;
};

}  // namespace

std::vector<int> parse_worker_list(std::string_view text, std::string_view option, int most) {
  return WorkerList(text, option, most).parse();
}

}  // namespace kumiko::app
