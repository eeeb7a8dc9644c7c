#include <stdexcept>

#include <kumiko/amr/parameter.hpp>

namespace kumiko::amr {

namespace {

template <class T>
const T& typed(const ParameterSet& set, std::string_view name) {
  if (const T* value = std::get_if<T>(&set.at(name))) return *value;
  throw std::logic_error("parameter '" + std::string(name) + "' is read as another type");
}

}  // namespace

const ParameterValue& ParameterSet::at(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    throw std::logic_error("parameter '" + std::string(name) + "' is not declared");
  }
  return found->second;
}

bool ParameterSet::flag(std::string_view name) const { return typed<bool>(*this, name); }

std::int64_t ParameterSet::integer(std::string_view name) const {
  return typed<std::int64_t>(*this, name);
}

double ParameterSet::number(std::string_view name) const { return typed<double>(*this, name); }

const std::string& ParameterSet::text(std::string_view name) const {
  return typed<std::string>(*this, name);
}

const std::vector<std::int64_t>& ParameterSet::list(std::string_view name) const {
  return typed<std::vector<std::int64_t>>(*this, name);
}

const std::vector<double>& ParameterSet::numbers(std::string_view name) const {
  return typed<std::vector<double>>(*this, name);
}

ParameterSet defaults(const std::vector<ParameterSpec>& specs) {
  ParameterSet set;
  for (const ParameterSpec& spec : specs) set.set(spec.name, spec.default_value);
  return set;
}

}  // namespace kumiko::amr
