// The shipped cases, by name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/parameter.hpp>

namespace kumiko::cases {

/// A case that can be made by name.
struct CaseEntry {
  std::string name;
  std::string help;                            ///< one line
  std::vector<amr::ParameterSpec> parameters;  ///< names without the prefix "case."
  std::function<std::unique_ptr<amr::Case>(const amr::ParameterSet&)> make;
};

/// Every case, sorted by name.
const std::vector<CaseEntry>& case_entries();

/// The case of a name, or nullptr.
const CaseEntry* find_case(std::string_view name);

}  // namespace kumiko::cases
