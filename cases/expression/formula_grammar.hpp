// Reads formulas and lists of definitions from text.
#pragma once

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "formula_graph.hpp"

namespace kumiko::cases::formula {

/// An error at a place of a text.
class FormulaError : public std::runtime_error {
 public:
  FormulaError(std::size_t offset, const std::string& message)
      : std::runtime_error(message), offset_(offset) {}
  std::size_t offset() const { return offset_; }  ///< in bytes, from 0

 private:
  std::size_t offset_;
};

/// "column 5", or "line 2, column 5" of a text of several lines.
std::string place_in(std::string_view text, std::size_t offset);

/// What names stand for in formulas: variables, pi, definitions.
using Names = std::map<std::string, NodeId, std::less<>>;

/// x, y, t, tau and pi.
Names own_names(Graph& graph);

/// True if this build reads formulas. Without muParser parse() throws.
bool formulas_available();

/// Appends a formula to the graph. Throws FormulaError.
NodeId parse(Graph& graph, const Names& names, std::string_view text);

/// Adds the names of a list "r = 0.15; dx = x - 0.5" to others, which definitions may use, like the
/// names defined before them. Semicolons, new lines and commas outside parentheses separate them;
/// "#" begins a comment, up to the end of the line. Throws FormulaError.
void add_definitions(Graph& graph, Names& names, std::string_view commented);

/// The offset in a formula of the first name that depends on a variable outside a set, or npos.
std::size_t find_name_beyond(const Graph& graph, const Names& names, std::string_view text,
                             Variables allowed);

}  // namespace kumiko::cases::formula
