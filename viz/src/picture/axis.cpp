#include "picture/axis.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/core.h>

#include <kumiko/amr/require.hpp>

namespace kumiko::viz {

namespace {

/// Of the range, that a value at its end may lie outside by rounding.
constexpr double kSlack = 1e-9;

/// The smallest of 1, 2 and 5 times a power of ten that divides the length into few enough parts.
double nice_step(double length, int most) {
  const double least = length / most;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1.0 - kSlack)) return factor * power;
  }
  return 10.0 * power;
}

/// The digits that distinguish the multiples of a step up to the largest one.
int significant_digits(double step, double largest) {
  constexpr int kMost = 17;
  const int digits = static_cast<int>(std::floor(std::log10(largest) + kSlack) -
                                      std::floor(std::log10(step) + kSlack)) +
                     1;
  return std::min(digits, kMost);
}

/// The decimals that distinguish the multiples of a step.
int decimals_of(double step) {
  return std::max(0, static_cast<int>(-std::floor(std::log10(step) + kSlack)));
}

std::string superscript(int number) {
  constexpr std::string_view kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char digit : std::to_string(number)) {
    text += digit == '-' ? std::string_view("⁻") : kDigits[digit - '0'];
  }
  return text;
}

/// A number for a label: 0.05, 2500, 2×10⁻⁵.
/// \param digits  smallest number of significant digits that distinguishes the labels
std::string number_label(double value, int digits) {
  constexpr int kDigits = 6;
  constexpr int kFactorDigits = 4;
  constexpr double kSmallestPlain = 0.999e-3;
  constexpr double kLargestPlain = 1e5;
  const double size = std::abs(value);
  if (size == 0.0) return "0";
  if (size >= kSmallestPlain && size < kLargestPlain) {
    return fmt::format("{:.{}g}", value, std::max(digits, kDigits));
  }
  int power = static_cast<int>(std::floor(std::log10(size) + kSlack));
  const std::string factor =
      fmt::format("{:.{}g}", value / std::pow(10.0, power), std::max(digits, kFactorDigits));
  std::string ten = "10" + superscript(power);
  if (factor == "1") return ten;
  return factor == "-1" ? "-" + ten : factor + "×" + ten;
}

}  // namespace

Axis::Axis(Range range, double begin, double end) : range_(range), begin_(begin), end_(end) {
  amr::require(std::isfinite(range.low) && std::isfinite(range.high) && range.low < range.high,
               "an axis cannot go from {:g} to {:g}", range.low, range.high);
}

double Axis::operator()(double value) const {
  return begin_ + (end_ - begin_) * (value - range_.low) / (range_.high - range_.low);
}

std::vector<Tick> ticks(Range range, int most_labels) {
  constexpr double kLargestPlain = 1e6;
  constexpr int kMostDecimals = 5;
  // Between n + 1 ticks lie n steps.
  const double step = nice_step(range.high - range.low, std::max(most_labels, 2) - 1);
  const int decimals = decimals_of(step);
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  const bool plain = largest < kLargestPlain && decimals <= kMostDecimals;
  const int digits = significant_digits(step, largest);
  std::vector<Tick> list;
  const double first = std::ceil(range.low / step - kSlack);
  const auto steps = static_cast<int>(std::floor(range.high / step + kSlack) - first);
  for (int index = 0; index <= steps; ++index) {
    const double value = (first + index) * step + 0.0;  // no -0
    list.push_back(
        {value, plain ? fmt::format("{:.{}f}", value, decimals) : number_label(value, digits)});
  }
  return list;
}

std::vector<double> spread(std::vector<double> places, double gap, double low, double high) {
  if (places.empty()) return places;
  const auto count = static_cast<double>(places.size());
  const double room = count > 1.0 ? (high - low) / (count - 1.0) : gap;
  const double apart = std::min(gap, room);
  // Places that are pushed together form a group, which lies around the mean of where its members
  // belong.
  struct Group {
    double sum;  ///< of where its members' first one would have to lie
    int members;
    double first;
  };
  std::vector<Group> groups;
  const auto settle = [&](Group& group) {
    const double last_first = high - (group.members - 1) * apart;
    group.first = std::max(low, std::min(last_first, group.sum / group.members));
  };
  for (const double place : places) {
    groups.push_back({place, 1, 0.0});
    settle(groups.back());
    while (groups.size() > 1) {
      Group& before = groups[groups.size() - 2];
      const Group& last = groups.back();
      if (before.first + before.members * apart <= last.first) break;
      before.sum += last.sum - last.members * before.members * apart;
      before.members += last.members;
      groups.pop_back();
      settle(groups.back());
    }
  }
  std::size_t at = 0;
  for (const Group& group : groups) {
    for (int member = 0; member < group.members; ++member) {
      places[at++] = group.first + member * apart;
    }
  }
  return places;
}

}  // namespace kumiko::viz
