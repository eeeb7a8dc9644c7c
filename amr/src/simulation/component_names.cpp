#include "simulation/component_names.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <kumiko/amr/require.hpp>
#include <kumiko/amr/saved_run.hpp>

namespace kumiko::amr {

namespace {

bool is_word(std::string_view name) {
  constexpr std::string_view kAllowed =
      "0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
  return name.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace

void check_component_names(const Case& problem) {
  const std::vector<std::string> names = problem.component_names();
  const std::set<std::string> different(names.begin(), names.end());
  const auto wanted = static_cast<std::size_t>(problem.components());
  require(names.size() == wanted && different.size() == wanted,
          "the case's components are {}, but their different names {}; each component needs one",
          wanted, different.size());
  for (const std::string& name : names) {
    require(is_word(name),
            "'{}' cannot be the name of a component; use letters, digits and underscores without a "
            "digit in front",
            name);
    require(std::find(kExtraNames.begin(), kExtraNames.end(), name) == kExtraNames.end(),
            "a component cannot be called '{}': an extra component of states has that name", name);
  }
}

}  // namespace kumiko::amr
