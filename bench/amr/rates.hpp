// Amounts per second, over windows that are measured in turn.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "support/json_line.hpp"

namespace kumiko::bench {

/// Amounts that calls return, per second; seconds where a name says so.
class Rates {
 public:
  /// Calls function(), which returns an amount: flops, points.
  template <class Function>
  void measure(const std::string& name, Function&& function) {
    const auto begin = std::chrono::steady_clock::now();
    const double amount = function();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    add(name, amount / time.count());
  }

  void add(const std::string& name, double rate) { rates_[name].push_back(rate); }

  void add_medians(JsonLine& line) {
    for (auto& [name, values] : rates_) {
      const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
      std::nth_element(values.begin(), middle, values.end());
      line.add(name, *middle);
    }
  }

 private:
  std::map<std::string, std::vector<double>> rates_;
};

}  // namespace kumiko::bench
