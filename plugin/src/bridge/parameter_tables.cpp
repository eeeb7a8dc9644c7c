#include "bridge/parameter_tables.hpp"

#include <stdexcept>
#include <utility>

namespace kumiko::plugin::detail {

namespace {

struct ToC {
  kumiko_value operator()(bool flag) const {
    kumiko_value value{};
    value.type = KUMIKO_FLAG;
    value.flag = flag ? 1 : 0;
    return value;
  }
  kumiko_value operator()(std::int64_t integer) const {
    kumiko_value value{};
    value.type = KUMIKO_INTEGER;
    value.integer = integer;
    return value;
  }
  kumiko_value operator()(double number) const {
    kumiko_value value{};
    value.type = KUMIKO_NUMBER;
    value.number = number;
    return value;
  }
  kumiko_value operator()(const std::string& text) const {
    kumiko_value value{};
    value.type = KUMIKO_TEXT;
    value.text = text.c_str();
    return value;
  }
  kumiko_value operator()(const std::vector<std::int64_t>& integers) const {
    kumiko_value value{};
    value.type = KUMIKO_INTEGERS;
    value.integers = integers.data();
    value.count = integers.size();
    return value;
  }
  kumiko_value operator()(const std::vector<double>& numbers) const {
    kumiko_value value{};
    value.type = KUMIKO_NUMBERS;
    value.numbers = numbers.data();
    value.count = numbers.size();
    return value;
  }
};

std::string text_of(const char* text, const char* what) {
  if (text == nullptr) throw std::invalid_argument(std::string(what) + " is missing");
  return text;
}

template <class Number>
std::vector<Number> list_of(const Number* numbers, std::size_t count) {
  if (numbers == nullptr && count > 0) {
    throw std::invalid_argument("the list of a parameter is missing");
  }
  return {numbers, numbers + count};
}

}  // namespace

kumiko_value to_c(const amr::ParameterValue& value) { return std::visit(ToC{}, value); }

amr::ParameterValue from_c(const kumiko_value& value) {
  switch (value.type) {
    case KUMIKO_FLAG:
      return value.flag != 0;
    case KUMIKO_INTEGER:
      return value.integer;
    case KUMIKO_NUMBER:
      return value.number;
    case KUMIKO_TEXT:
      return text_of(value.text, "the text of a parameter");
    case KUMIKO_INTEGERS:
      return list_of(value.integers, value.count);
    case KUMIKO_NUMBERS:
      return list_of(value.numbers, value.count);
    default:
      throw std::invalid_argument("a parameter has the unknown type " + std::to_string(value.type));
  }
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
  std::vector<amr::ParameterSpec> specs;
  for (std::size_t at = 0; at < count; ++at) {
    const kumiko_parameter& parameter = parameters[at];
    amr::ParameterSpec spec{
        text_of(parameter.name, "the name of a parameter"), from_c(parameter.default_value),
        text_of(parameter.help, "the help of a parameter"), parameter.minimum, parameter.maximum};
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
