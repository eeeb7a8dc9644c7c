// Names of formulas: their own, and those of lists of definitions. Independent of the parser.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "formula_grammar.hpp"
#include "formula_text.hpp"

namespace kumiko::cases::formula {

namespace {

/// The end of the statement that begins at an offset: a separator outside parentheses.
std::size_t end_of_statement(std::string_view text, std::size_t from) {
  int depth = 0;
  for (std::size_t at = from; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')') --depth;
    if (text[at] == ';' || (depth <= 0 && is_one_of(",\n", text[at]))) return at;
  }
  return text.size();
}

/// With blanks in place of comments, so that offsets stay.
std::string without_comments(std::string_view commented) {
  std::string text(commented);
  bool is_comment = false;
  for (char& one : text) {
    is_comment = one != '\n' && (is_comment || one == '#');
    if (is_comment) one = ' ';
  }
  return text;
}

void require_free(const Names& names, std::string_view name, std::size_t offset) {
  if (name.empty()) {
    throw FormulaError(offset, "a definition is missing its name; write NAME = FORMULA");
  }
  constexpr std::size_t kLongestName = 60;
  if (name.size() > kLongestName) {
    throw FormulaError(offset, "a name of " + std::to_string(name.size()) +
                                   " characters; it may have " + std::to_string(kLongestName));
  }
  const std::string quoted = "'" + std::string(name) + "'";
  if (find_function(name) != nullptr) {
    throw FormulaError(offset, quoted + " is a function; choose another name");
  }
  for (const std::string_view own : {"x", "y", "t", "tau", "pi"}) {
    if (name == own) throw FormulaError(offset, quoted + " is reserved; choose another name");
  }
  if (names.find(name) != names.end()) {
    throw FormulaError(offset, quoted + " is defined twice; choose another name");
  }
}

void add_definition(Graph& graph, Names& names, std::string_view statement, std::size_t offset) {
  const std::string_view name = name_at(statement, 0);
  std::size_t equals = name.size();
  trimmed(statement.substr(name.size()), equals);
  require_free(names, name, offset);
  if (equals >= statement.size() || statement[equals] != '=') {
    throw FormulaError(offset + std::min(equals, statement.size()),
                       "expected '=' after '" + std::string(name) + "'; write NAME = FORMULA");
  }
  std::size_t begin = equals + 1;
  const std::string_view formula = trimmed(statement.substr(begin), begin);
  NodeId node = kNoNode;
  try {
    node = parse(graph, names, formula);
  } catch (const FormulaError& error) {
    throw FormulaError(offset + begin + error.offset(), error.what());
  }
  if (graph.is_constant(node) && !std::isfinite(graph.at(node).value)) {
    throw FormulaError(offset + begin, "the value of '" + std::string(name) + "' is not finite");
  }
  names.emplace(name, node);
}

}  // namespace

std::string place_in(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  std::string column = "column " + std::to_string(before.size() - start + 1);
  if (text.find('\n') == std::string_view::npos) return column;
  return "line " + std::to_string(line) + ", " + column;
}

Names own_names(Graph& graph) {
  return {{"x", graph.variable(Variable::kX)},
          {"y", graph.variable(Variable::kY)},
          {"t", graph.variable(Variable::kTime)},
          {"tau", graph.variable(Variable::kTau)},
          {"pi", graph.constant(std::numbers::pi)}};
}

void add_definitions(Graph& graph, Names& names, std::string_view commented) {
  const std::string text = without_comments(commented);
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = end_of_statement(text, from);
    std::size_t begin = from;
    const std::string_view statement =
        trimmed(std::string_view(text).substr(from, end - from), begin);
    if (!statement.empty()) add_definition(graph, names, statement, begin);
    from = end + 1;
  }
}

std::size_t find_name_beyond(const Graph& graph, const Names& names, std::string_view text,
                             Variables allowed) {
  std::size_t found = std::string_view::npos;
  for_each_name(text, [&](std::size_t offset, std::string_view name) {
    const auto known = names.find(name);
    if (known == names.end() || found != std::string_view::npos) return;
    if ((graph.at(known->second).variables & ~allowed) != 0) found = offset;
  });
  return found;
}

}  // namespace kumiko::cases::formula
