#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <kumiko/amr/require.hpp>
#include <kumiko/viz/axis.hpp>

namespace kumiko::viz {

namespace {

/// Of the range, that a value at its end may lie outside by rounding.
constexpr double kSlack = 1e-9;

void require_positive(Scale scale, double value) {
  amr::require(scale != Scale::kLog || value > 0.0,
               "a log axis cannot show {:g}: its values must be above 0", value);
}

/// A value in the coordinate in which its scale is linear.
double position(Scale scale, double value) {
  return scale == Scale::kLog ? std::log10(value) : value;
}

Range around(Scale scale, double value) {
  if (scale == Scale::kLog) return {value / 2.0, value * 2.0};
  const double reach = value == 0.0 ? 1.0 : 0.5 * std::abs(value);
  return {value - reach, value + reach};
}

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

std::vector<Tick> linear_ticks(Range range, int most_labels) {
  constexpr double kLargestPlain = 1e6;
  constexpr int kMostDecimals = 5;
  // Between n + 1 ticks lie n steps.
  const double step = nice_step(range.high - range.low, most_labels - 1);
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

/// The first and the last power of ten that a range lies between.
std::pair<int, int> decades_of(Range range) {
  return {static_cast<int>(std::floor(std::log10(range.low))),
          static_cast<int>(std::ceil(std::log10(range.high)))};
}

/// The factors of powers of ten that have labels first.
bool is_round(int factor) { return factor == 1 || factor == 2 || factor == 5; }

/// Ticks at 1 to `factors` times the powers of ten; `has_label(factor, power)` chooses those with a
/// label.
template <class HasLabel>
std::vector<Tick> log_ticks_where(Range range, HasLabel has_label, int factors = 9) {
  std::vector<Tick> list;
  const auto [first, last] = decades_of(range);
  for (int power = first; power <= last; ++power) {
    for (int factor = 1; factor <= factors; ++factor) {
      const double value = factor * std::pow(10.0, power);
      if (value < range.low * (1.0 - kSlack) || value > range.high * (1.0 + kSlack)) continue;
      list.push_back({value, has_label(factor, power) ? number_label(value) : std::string()});
    }
  }
  return list;
}

int labels_of(const std::vector<Tick>& list) {
  return static_cast<int>(
      std::ranges::count_if(list, [](const Tick& tick) { return !tick.label.empty(); }));
}

/// Every `stride`-th power of ten alone.
std::vector<Tick> sparse_log_ticks(Range range, int most_labels) {
  const auto [first, last] = decades_of(range);
  const int stride = (last - first + most_labels) / most_labels;
  return log_ticks_where(
      range, [=](int, int power) { return power % stride == 0; }, 1);
}

/// True if the labels are as far from each other, on a log scale, as those of `most_labels` evenly
/// spread ones.
bool have_room(const std::vector<Tick>& list, Range range, int most_labels) {
  const double least = std::log(range.high / range.low) / (most_labels + 1);
  double before = 0.0;
  for (const Tick& tick : list) {
    if (tick.label.empty()) continue;
    if (before > 0.0 && std::log(tick.value / before) < least) return false;
    before = tick.value;
  }
  return labels_of(list) <= most_labels;
}

/// Linear ticks crowd at a log scale's upper end.
std::vector<Tick> linear_ticks_with_room(Range range, int most_labels) {
  for (int most = most_labels; most > 2; --most) {
    std::vector<Tick> list = linear_ticks(range, most);
    if (have_room(list, range, most_labels)) return list;
  }
  return linear_ticks(range, 2);
}

std::vector<Tick> log_ticks(Range range, int most_labels) {
  constexpr int kLeastLabels = 3;
  constexpr int kGoodLabels = 4;
  std::vector<Tick> list = log_ticks_where(range, [](int factor, int) { return is_round(factor); });
  const int round_labels = labels_of(list);
  if (round_labels >= kGoodLabels && round_labels <= most_labels) return list;
  if (round_labels < kGoodLabels) {
    std::vector<Tick> more = log_ticks_where(
        range, [](int factor, int) { return is_round(factor) || factor == 3 || factor == 7; });
    if (labels_of(more) >= kGoodLabels && have_room(more, range, most_labels)) return more;
  }
  if (round_labels >= kLeastLabels && round_labels <= most_labels) return list;
  if (round_labels < kLeastLabels) return linear_ticks_with_room(range, most_labels);
  list = log_ticks_where(range, [](int factor, int) { return factor == 1; });
  if (labels_of(list) <= most_labels && labels_of(list) >= 2) return list;
  return sparse_log_ticks(range, most_labels);
}

std::string superscript(int number) {
  constexpr std::string_view kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char digit : std::to_string(number)) {
    text += digit == '-' ? std::string_view("⁻") : kDigits[digit - '0'];
  }
  return text;
}

}  // namespace

Range padded_range(Scale scale, std::span<const double> values) {
  constexpr double kRoom = 0.06;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    require_positive(scale, value);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return scale == Scale::kLog ? Range{1.0, 10.0} : Range{0.0, 1.0};
  if (low == high) return around(scale, low);
  if (scale == Scale::kLinear) {
    const double room = kRoom * (high - low);
    return {low - room, high + room};
  }
  const double room = std::pow(high / low, kRoom);
  return {low / room, high * room};
}

Range widened_to_ticks(Scale scale, Range range) {
  constexpr double kNear = 0.08;  ///< of the range's length
  if (scale == Scale::kLinear) return range;
  const double reach = std::pow(range.high / range.low, kNear);
  Range widened = range;
  for (const Tick& tick : log_ticks_where({range.low / reach, range.high * reach},
                                          [](int factor, int) { return is_round(factor); })) {
    if (tick.label.empty()) continue;
    if (tick.value < range.low) widened.low = tick.value;  // the last one is the nearest
    if (tick.value > widened.high && widened.high == range.high) widened.high = tick.value;
  }
  return widened;
}

Axis::Axis(Scale scale, Range range, double begin, double end)
    : scale_(scale), range_(range), begin_(begin), end_(end) {
  require_positive(scale, range.low);
  amr::require(std::isfinite(range.low) && std::isfinite(range.high) && range.low < range.high,
               "an axis cannot go from {:g} to {:g}", range.low, range.high);
}

double Axis::operator()(double value) const {
  require_positive(scale_, value);
  const double low = position(scale_, range_.low);
  const double high = position(scale_, range_.high);
  return begin_ + (end_ - begin_) * (position(scale_, value) - low) / (high - low);
}

std::vector<Tick> ticks(Scale scale, Range range, int most_labels) {
  const int most = std::max(2, most_labels);
  return scale == Scale::kLog ? log_ticks(range, most) : linear_ticks(range, most);
}

std::vector<Tick> count_ticks(const Axis& axis, std::vector<double> values, double label_width) {
  constexpr double kLeastGap = 28.0;
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const auto crowded = std::ranges::adjacent_find(values, [&](double one, double next) {
    return std::abs(axis(next) - axis(one)) < kLeastGap;
  });
  std::vector<Tick> list;
  if (crowded == values.end()) {
    for (const double value : values) list.push_back({value, number_label(value)});
    return list;
  }
  const auto most = static_cast<int>(std::abs(axis.end() - axis.begin()) / label_width);
  for (Tick& tick : ticks(axis.scale(), axis.range(), most)) {
    if (tick.value < 1.0 - kSlack || std::abs(tick.value - std::round(tick.value)) > kSlack) {
      continue;
    }
    if (!tick.label.empty()) tick.label = number_label(std::round(tick.value));
    list.push_back(std::move(tick));
  }
  return list;
}

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

}  // namespace kumiko::viz
