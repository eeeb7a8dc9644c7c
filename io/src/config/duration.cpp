#include <array>
#include <charconv>
#include <cmath>

#include <kumiko/io/duration.hpp>

namespace kumiko::io {

namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr std::array<Unit, 4> kUnits = {{{"s", 1.0}, {"min", 60.0}, {"h", 3600.0}, {"d", 86400.0}}};

struct Amount {
  double number;
  std::string_view unit;
};

std::optional<Amount> amount_of(std::string_view text) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return Amount{number, text};
}

}  // namespace

std::optional<double> parse_duration(std::string_view text) {
  const std::optional<Amount> amount = amount_of(text);
  if (!amount || amount->number <= 0.0) return std::nullopt;
  for (const Unit& unit : kUnits) {
    if (amount->unit == unit.name) return amount->number * unit.seconds;
  }
  return std::nullopt;
}

std::optional<Interval> parse_interval(std::string_view text) {
  constexpr double kMostSteps = 1e9;
  if (const std::optional<double> seconds = parse_duration(text)) return Interval{0, *seconds};
  const std::optional<Amount> amount = amount_of(text);
  if (!amount || (!amount->unit.empty() && amount->unit != "steps")) return std::nullopt;
  const double steps = amount->number;
  if (steps < 0.0 || steps > kMostSteps || steps != std::floor(steps)) return std::nullopt;
  return Interval{static_cast<int>(steps), 0.0};
}

}  // namespace kumiko::io
