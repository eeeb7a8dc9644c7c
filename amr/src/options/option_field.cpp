#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <kumiko/amr/option_field.hpp>

namespace kumiko::amr {

namespace {

/// The first element that is not in the range.
template <class Number>
std::optional<Refusal> refused_element(const Range& range, const std::vector<Number>& list) {
  for (const Number element : list) {
    const auto real = static_cast<double>(element);
    bool good = std::isfinite(real) && real >= range.least && real <= range.most;
    if (range.open) good = good && real > range.least && real < range.most;
    if constexpr (std::is_integral_v<Number>) good = good && element % range.multiple_of == 0;
    if (good) continue;
    std::string wanted = range_text(range);
    if (!std::isfinite(real)) wanted = wanted.empty() ? "finite" : "finite, " + wanted;
    return Refusal{element, "it must be " + wanted};
  }
  return std::nullopt;
}

struct RangeCheck {
  const Range& range;

  std::optional<Refusal> operator()(bool) const { return std::nullopt; }
  std::optional<Refusal> operator()(const std::string&) const { return std::nullopt; }
  template <class Number>
  std::optional<Refusal> operator()(Number value) const {
    return refused_element<Number>(range, {value});
  }
  template <class Number>
  std::optional<Refusal> operator()(const std::vector<Number>& list) const {
    return refused_element(range, list);
  }
};

struct NumberText {
  template <class T>
  std::string operator()(const T& value) const {
    return fmt::format("{}", value);
  }
  template <class T>
  std::string operator()(const std::vector<T>& list) const {
    return fmt::format("[{}]", fmt::join(list, ", "));
  }
};

}  // namespace

OptionError::OptionError(std::string option, std::string value, std::string wanted,
                         std::optional<std::size_t> region)
    : std::invalid_argument(fmt::format("`{}`{} is {}; {}", option,
                                        region ? fmt::format(" of region {}", *region) : "", value,
                                        wanted)),
      option_(std::move(option)),
      value_(std::move(value)),
      wanted_(std::move(wanted)),
      region_(region) {}

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
  return std::visit(RangeCheck{range}, value);
}

void detail::require_in_range(const OptionSpec& option, const ParameterValue& value,
                              std::optional<std::size_t> region) {
  const std::optional<Refusal> refusal = refused(option.range, value);
  if (!refusal) return;
  throw OptionError(option.spec.name, std::visit(NumberText{}, refusal->element), refusal->wanted,
                    region);
}

}  // namespace kumiko::amr
