#include <algorithm>

#include <kumiko/amr/parameter.hpp>

namespace kumiko::amr {

const ParameterValue& ParameterSet::at(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    throw std::logic_error("parameter '" + std::string(name) + "' is not declared");
  }
  return found->second;
}

std::size_t ParameterSet::choice(std::string_view name,
                                 const std::vector<std::string>& choices) const {
  const auto found = std::ranges::find(choices, text(name));
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  throw std::invalid_argument(std::string(name) + " '" + text(name) + "' is unknown");
}

ParameterSet defaults(const std::vector<ParameterSpec>& specs) {
  ParameterSet set;
  for (const ParameterSpec& spec : specs) set.set(spec.name, spec.default_value);
  return set;
}

}  // namespace kumiko::amr
