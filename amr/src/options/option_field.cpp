#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kumiko/amr/option_field.hpp>

namespace kumiko::amr {

namespace {

template <class Number>
std::optional<Refusal> refused_number(const Range& range, Number value) {
  const auto real = static_cast<double>(value);
  bool good = std::isfinite(real) && real >= range.least && real <= range.most;
  if (range.open) good = good && real > range.least && real < range.most;
  if constexpr (std::is_integral_v<Number>) good = good && value % range.multiple_of == 0;
  if (good) return std::nullopt;
  std::string wanted = range_text(range);
  if (!std::isfinite(real)) wanted = wanted.empty() ? "finite" : "finite, " + wanted;
  return Refusal{value, "it must be " + wanted};
}

/// Texts and booleans have no range.
class RangeCheck {
 public:
  explicit RangeCheck(const Range& range) : range_(range) {}

  std::optional<Refusal> operator()(bool) const { return std::nullopt; }
  std::optional<Refusal> operator()(const std::string&) const { return std::nullopt; }
  template <class Number>
  std::optional<Refusal> operator()(Number value) const {
    return refused_number(range_, value);
  }
  template <class Element>
  std::optional<Refusal> operator()(const std::vector<Element>& list) const {
    return of_each(list);
  }
  std::optional<Refusal> operator()(const std::array<double, 2>& point) const {
    return of_each(point);
  }

 private:
  template <class List>
  std::optional<Refusal> of_each(const List& list) const {
    for (const auto& element : list) {
      if (auto refusal = (*this)(element)) return refusal;
    }
    return std::nullopt;
  }

  const Range& range_;
};

}  // namespace

OptionError::OptionError(std::string name, std::string text, std::string must,
                         std::optional<std::size_t> in_region)
    : std::invalid_argument(fmt::format("`{}`{} is {}; {}", name,
                                        in_region ? fmt::format(" of region {}", *in_region) : "",
                                        text, must)),
      option(std::move(name)),
      value(std::move(text)),
      wanted(std::move(must)),
      region(in_region) {}

std::string range_text(const Range& range) {
  const double least = range.least;
  const double most = range.most;
  std::string text;
  if (std::isfinite(least) && std::isfinite(most)) {
    text = range.open ? fmt::format("above {} and below {}", least, most)
                      : fmt::format("{} to {}", least, most);
  } else if (std::isfinite(least)) {
    text = fmt::format("{} {}", range.open ? "above" : "at least", least);
  } else if (std::isfinite(most)) {
    text = fmt::format("{} {}", range.open ? "below" : "at most", most);
  }
  if (range.multiple_of != 1) {
    text += fmt::format("{}a multiple of {}", text.empty() ? "" : ", ", range.multiple_of);
  }
  return range.why.empty() ? text : text + ", " + range.why;
}

std::optional<Refusal> refused(const Range& range, const ParameterValue& value) {
  return std::visit(RangeCheck(range), value);
}

void detail::require_in_range(const OptionSpec& option, const ParameterValue& value,
                              std::optional<std::size_t> region) {
  const std::optional<Refusal> refusal = refused(option.range, value);
  if (!refusal) return;
  const std::string text =
      std::visit([](const auto& held) { return fmt::format("{}", held); }, refusal->element);
  throw OptionError(option.spec.name, text, refusal->wanted, region);
}

}  // namespace kumiko::amr
