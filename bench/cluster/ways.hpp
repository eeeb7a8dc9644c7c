// Measures ways of doing the same, in turn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "support/clock.hpp"
#include "support/json_line.hpp"

namespace kumiko::bench {

/// What was measured, in any order; there must be something.
class Samples {
 public:
  void add(double value) { values_.push_back(value); }

  /// The value below which this part of them is: 0.5 for the median.
  double quantile(double part) {
    const auto place = static_cast<std::ptrdiff_t>(part * static_cast<double>(values_.size() - 1));
    std::nth_element(values_.begin(), values_.begin() + place, values_.end());
    return values_[static_cast<std::size_t>(place)];
  }

 private:
  std::vector<double> values_;
};

/// One way: what this process does for a batch of so many calls.
struct Way {
  std::string name;
  std::function<void(long calls)> run;
};

/// How often each way has its turn, and how many calls that has.
struct Turns {
  long batches;
  long calls;
};

/// Each way has its turn again and again, so that a disturbance hits all alike. Reports the median
/// over the batches, NAME_ns of a call. The first batch of each, by which connections are made,
/// does not count.
inline void measure_in_turn(const std::vector<Way>& ways, Turns turns, JsonLine& report) {
  std::vector<Samples> nanoseconds(ways.size());
  for (long batch = 0; batch <= turns.batches; ++batch) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const double begin = steady_seconds();
      ways[i].run(turns.calls);
      const double taken = steady_seconds() - begin;
      if (batch > 0) nanoseconds[i].add(1e9 * taken / static_cast<double>(turns.calls));
    }
  }
  for (std::size_t i = 0; i < ways.size(); ++i) {
    report.add(ways[i].name + "_ns", nanoseconds[i].quantile(0.5));
  }
}

}  // namespace kumiko::bench
