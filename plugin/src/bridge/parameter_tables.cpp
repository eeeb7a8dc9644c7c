#include "bridge/parameter_tables.hpp"

#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

namespace kumiko::plugin::detail {

namespace {

// A value's type in C is the index of its alternative.
template <std::size_t Type, class Alternative>
constexpr bool kIs =
    std::is_same_v<std::variant_alternative_t<Type, amr::ParameterValue>, Alternative>;
static_assert(std::variant_size_v<amr::ParameterValue> == 7 && kIs<KUMIKO_FLAG, bool> &&
              kIs<KUMIKO_INTEGER, std::int64_t> && kIs<KUMIKO_NUMBER, double> &&
              kIs<KUMIKO_TEXT, std::string> && kIs<KUMIKO_INTEGERS, std::vector<std::int64_t>> &&
              kIs<KUMIKO_NUMBERS, std::vector<double>>);

/// Fills in what the type says is there.
struct Fill {
  kumiko_value& value;

  void operator()(bool flag) const { value.flag = flag ? 1 : 0; }
  void operator()(std::int64_t integer) const { value.integer = integer; }
  void operator()(double number) const { value.number = number; }
  void operator()(const std::string& text) const { value.text = text.c_str(); }
  void operator()(const std::vector<std::int64_t>& integers) const {
    value.integers = integers.data();
    value.count = integers.size();
  }
  void operator()(const std::vector<double>& numbers) const {
    value.numbers = numbers.data();
    value.count = numbers.size();
  }
  void operator()(const amr::PointList&) const {}  // plugins declare none
};

std::string text_of(const char* text, const char* what) {
  if (text == nullptr) throw std::invalid_argument(std::string(what) + " is missing");
  return text;
}

void require_list(const void* list, std::size_t count, const char* what) {
  if (list != nullptr || count == 0) return;
  throw std::invalid_argument(std::string(what) + " is NULL, though its count is " +
                              std::to_string(count));
}

template <class Number>
std::vector<Number> list_of(const Number* numbers, std::size_t count) {
  require_list(numbers, count, "the list of a parameter");
  return {numbers, numbers + count};
}

}  // namespace

kumiko_value to_c(const amr::ParameterValue& value) {
  kumiko_value in_c{};
  in_c.type = static_cast<std::int32_t>(value.index());
  std::visit(Fill{in_c}, value);
  return in_c;
}

amr::ParameterValue from_c(const kumiko_value& value) {
  if (value.type == KUMIKO_FLAG) return value.flag != 0;
  if (value.type == KUMIKO_INTEGER) return value.integer;
  if (value.type == KUMIKO_NUMBER) return value.number;
  if (value.type == KUMIKO_TEXT) return text_of(value.text, "the text of a parameter");
  if (value.type == KUMIKO_INTEGERS) return list_of(value.integers, value.count);
  if (value.type == KUMIKO_NUMBERS) return list_of(value.numbers, value.count);
  throw std::invalid_argument("a parameter has the unknown type " + std::to_string(value.type));
}

ParameterTable::ParameterTable(const std::vector<amr::ParameterSpec>& specs) {
  parameters_.reserve(specs.size());
  for (const amr::ParameterSpec& spec : specs) {
    std::vector<const char*>& choices = choices_.emplace_back();
    for (const std::string& choice : spec.choices) choices.push_back(choice.c_str());
    parameters_.push_back({spec.name.c_str(), spec.help.c_str(), to_c(spec.default_value),
                           spec.minimum, spec.maximum, choices.data(), choices.size()});
  }
}

std::vector<amr::ParameterSpec> from_c(const kumiko_parameter* parameters, std::size_t count) {
  require_list(parameters, count, "the list of parameters");
  std::vector<amr::ParameterSpec> specs;
  for (std::size_t at = 0; at < count; ++at) {
    const kumiko_parameter& parameter = parameters[at];
    amr::ParameterSpec spec{
        text_of(parameter.name, "the name of a parameter"), from_c(parameter.default_value),
        text_of(parameter.help, "the help of a parameter"), parameter.minimum, parameter.maximum};
    require_list(parameter.choices, parameter.choice_count, "the list of a parameter's choices");
    for (std::size_t choice = 0; choice < parameter.choice_count; ++choice) {
      spec.choices.push_back(text_of(parameter.choices[choice], "a choice of a parameter"));
    }
    specs.push_back(std::move(spec));
  }
  return specs;
}

std::vector<kumiko_setting> to_c(const amr::ParameterSet& set) {
  std::vector<kumiko_setting> settings;
  for (const auto& [name, value] : set.values()) settings.push_back({name.c_str(), to_c(value)});
  return settings;
}

amr::ParameterSet from_c(const kumiko_setting* settings, std::size_t count) {
  amr::ParameterSet set;
  for (std::size_t at = 0; at < count; ++at) {
    set.set(text_of(settings[at].name, "the name of a parameter"), from_c(settings[at].value));
  }
  return set;
}

}  // namespace kumiko::plugin::detail
