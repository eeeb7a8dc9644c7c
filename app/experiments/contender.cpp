#include "experiments/contender.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "terminal/request.hpp"

namespace kumiko::app {

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// The parts between commas, but not between those in brackets, which are of lists.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c == ',' && depth <= 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (std::string& part : parts) part = trimmed(part);
  return parts;
}

/// A contender's key by its full name.
std::string full_override(const std::string& spec, const std::string& part) {
  const std::string key = key_of(part);
  refuse_if(part.find('=') == std::string::npos || key.empty(),
            "--solver {}: '{}' is not of the form KEY=VALUE; write it like --solver NAME,KEY=VALUE",
            spec, part);
  refuse_if(key == "solver.name" || key == "name" || key == "case.name",
            "--solver {}: '{}' cannot be set here; name the solver first, as in --solver "
            "NAME,KEY=VALUE, and the case in the file",
            spec, key);
  const bool has_table = key.find('.') != std::string::npos;
  return has_table ? part : "solver." + part;
}

/// NAME[,KEY=VALUE]... of --solver, or a name alone, of --solvers.
Contender parse_contender(const std::string& option, const std::string& spec) {
  const std::vector<std::string> parts = parts_of(spec);
  Contender contender;
  contender.option = option;
  contender.solver = contender.label = parts.front();
  refuse_if(contender.solver.empty(),
            "{} '{}' has no solver's name; write it like --solver NAME,KEY=VALUE", option, spec);
  for (std::size_t at = 1; at < parts.size(); ++at) {
    contender.overrides.push_back(full_override(spec, parts[at]));
    contender.label += "," + parts[at];
  }
  return contender;
}

}  // namespace

std::string key_of(const std::string& assignment) {
  return trimmed(assignment.substr(0, assignment.find('=')));
}

bool Contender::sets(const std::string& key) const {
  return std::ranges::count(overrides, key, key_of) > 0;
}

std::vector<Contender> parse_contenders(const std::vector<std::string>& names,
                                        const std::vector<std::string>& variants,
                                        const std::string& of_file) {
  std::vector<Contender> contenders;
  const auto add = [&contenders](Contender contender) {
    refuse_if(std::ranges::count(contenders, contender.label, &Contender::label) > 0,
              "{}: it is named twice; distinguish variants by keys, as in --solver {},KEY=VALUE",
              contender.as_asked(), contender.solver);
    contenders.push_back(std::move(contender));
  };
  for (const std::string& name : names) {
    refuse_if(name.find('=') != std::string::npos,
              "--solvers: '{}' is not a solver's name; give keys of a solver as in --solver "
              "NAME,{}",
              name, name);
    add(parse_contender("--solvers", name));
  }
  for (const std::string& spec : variants) add(parse_contender("--solver", spec));
  if (contenders.empty()) {
    add(parse_contender("solver.name", of_file));
  }
  return contenders;
}

void refuse_solver_keys(const std::vector<std::string>& overrides) {
  for (const std::string& text : overrides) {
    const std::string key = key_of(text);
    constexpr std::string_view kTable = "solver.";
    if (!key.starts_with(kTable)) continue;
    throw RequestError(
        "--set {}: set the keys of a solver together with its name, as in --solver NAME,{}=VALUE",
        text, key == "solver.name" ? "KEY" : key.substr(kTable.size()));
  }
}

}  // namespace kumiko::app
