// Formulas by muParser: it knows the grammar, and finds errors. Its byte code is copied into our
// graph and the parser is gone before the run begins, since its own evaluation serves no patches
// (docs/decisions/047-formulas.md).
#include "formula_grammar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include <muParser.h>

#include "formula_text.hpp"

namespace kumiko::cases::formula {

namespace {

constexpr std::size_t kLongest = 10000;

// Functions by which muParser knows names and arities. It calls them once, when a text is read.
double of_one(void*, double) { return 0.0; }
double of_two(void*, double, double) { return 0.0; }
double negated(double a) { return -a; }
double unchanged(double a) { return a; }
double inverted(double a) { return a == 0.0 ? 1.0 : 0.0; }

/// Reads a number without any locale.
int read_number(const char* text, int* position, double* value) {
  if (!is_one_of(".0123456789", *text)) return 0;
  const char* const end = text + std::string_view(text).size();
  const auto [stop, error] = std::from_chars(text, end, *value);
  if (error == std::errc::invalid_argument) return 0;
  // Too large, or too small: refused by what reads the byte code.
  if (error != std::errc()) *value = std::numeric_limits<double>::infinity();
  *position += static_cast<int>(stop - text);
  return 1;
}

/// muParser with our names and functions, and without its optimiser, which would reorder sums.
class Grammar final : public mu::ParserBase {
 public:
  explicit Grammar(const Names& names) : values_(names.size(), 1.0) {
    AddValIdent(read_number);
    Grammar::InitCharSets();
    Grammar::InitFun();
    Grammar::InitOprt();
    EnableOptimizer(false);
    for (const auto& [name, node] : names) {
      DefineVar(name, values_.data() + nodes_.size());
      nodes_.push_back(node);
    }
  }

  NodeId node_of(const double* variable) const {
    return nodes_[static_cast<std::size_t>(variable - values_.data())];
  }

 private:
  void InitCharSets() override {
    DefineNameChars(kNameCharacters.data());
    DefineOprtChars("+-*^/?<>=!&|:");
    DefineInfixOprtChars("+-!");
  }
  void InitFun() override {
    for (const Function& function : functions()) {
      // It comes back in the byte code.
      void* const self = const_cast<Function*>(&function);
      const std::string name(function.name);
      if (function.arguments == 1) {
        DefineFunUserData(name, of_one, self, false);
      } else {
        DefineFunUserData(name, of_two, self, false);
      }
    }
  }
  void InitConst() override {}
  void InitOprt() override {
    DefineInfixOprt("-", negated, mu::prINFIX, false);
    DefineInfixOprt("+", unchanged, mu::prINFIX, false);
    DefineInfixOprt("!", inverted, mu::prINFIX, false);
  }

  std::vector<double> values_;  // their addresses are the variables' identities
  std::vector<NodeId> nodes_;
};

/// Turns byte code into nodes: a stack of nodes in place of muParser's of numbers.
class Translator {
 public:
  Translator(Graph& graph, const Grammar& grammar) : graph_(graph), grammar_(grammar) {}

  NodeId translate(const mu::ParserByteCode& code) {
    const mu::SToken* const first = code.GetBase();
    for (std::size_t at = 0; at < code.GetSize() && first[at].Cmd != mu::cmEND; ++at) {
      translate(first[at]);
    }
    if (stack_.size() != 1) fail();
    return stack_.back();
  }

 private:
  [[noreturn]] static void fail() {
    throw FormulaError(0, "the formula has a form that is not understood; add parentheses");
  }

  void translate(const mu::SToken& token) {
    switch (token.Cmd) {
      case mu::cmVAL:
        return push(constant(token.Val.data2));
      case mu::cmVAR:
        return push(grammar_.node_of(token.Val.ptr));
      case mu::cmIF:
      case mu::cmELSE:
        return;  // all three operands of ?: are computed, and one selected
      case mu::cmENDIF:
        return combine(Operation::kSelect, 3);
      case mu::cmFUNC:
        return call(token.Fun.cb, token.Fun.argc);
      default:
        return combine(binary(token.Cmd), 2);
    }
  }

  NodeId constant(double value) {
    if (!std::isfinite(value)) {
      throw FormulaError(0, "a number is outside the range of double precision");
    }
    return graph_.constant(value);
  }

  static Operation binary(mu::ECmdCode code) {
    constexpr std::array kOperations = {
        Operation::kLessEqual, Operation::kGreaterEqual, Operation::kUnequal, Operation::kEqual,
        Operation::kLess,      Operation::kGreater,      Operation::kAdd,     Operation::kSubtract,
        Operation::kMultiply,  Operation::kDivide,       Operation::kPower,   Operation::kAnd,
        Operation::kOr};
    static_assert(mu::cmLE == 0 && mu::cmLOR + 1 == kOperations.size());
    if (code < 0 || static_cast<std::size_t>(code) >= kOperations.size()) fail();
    return kOperations[static_cast<std::size_t>(code)];
  }

  void call(const mu::generic_callable_type& callable, int arguments) {
    if (callable._pUserData != nullptr) {
      const auto* const function = static_cast<const Function*>(callable._pUserData);
      if (arguments != function->arguments) fail();
      return combine(function->operation, function->arguments);
    }
    const auto is = [&](mu::fun_type1 of) {
      return callable._pRawFun == reinterpret_cast<mu::erased_fun_type>(of);
    };
    if (is(unchanged)) return;
    if (is(negated)) return combine(Operation::kNegate, 1);
    if (!is(inverted)) fail();
    push(graph_.constant(0.0));
    combine(Operation::kEqual, 2);
  }

  void push(NodeId node) { stack_.push_back(node); }

  void combine(Operation operation, int count) {
    if (stack_.size() < static_cast<std::size_t>(count)) fail();
    std::array<NodeId, 3> of = {kNoNode, kNoNode, kNoNode};
    for (int at = count - 1; at >= 0; --at) {
      of[static_cast<std::size_t>(at)] = stack_.back();
      stack_.pop_back();
    }
    push(graph_.apply(operation, of[0], of[1], of[2]));
  }

  Graph& graph_;
  const Grammar& grammar_;
  std::vector<NodeId> stack_;
};

/// Refuses what muParser would read in its own way, or report less well.
void check_characters(std::string_view text) {
  if (text.size() > kLongest) {
    throw FormulaError(kLongest, "a formula may have " + std::to_string(kLongest) +
                                     " characters; move parts of it into case.definitions");
  }
  constexpr std::string_view kOthers = "+-*/^().,<>=!&|?: \t\r\n";
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char one = text[at];
    if (!is_one_of(kNameCharacters, one) && !is_one_of(kOthers, one)) {
      throw FormulaError(at,
                         "a character that formulas do not have; they consist of names, numbers, "
                         "+ - * / ^, comparisons, && || !, ?: and parentheses");
    }
    depth += one == '(' ? 1 : one == ')' ? -1 : 0;
    if (one == ',' && depth <= 0) {
      throw FormulaError(at, "a ',' outside a function; decimal fractions take a point");
    }
    if (one != '=') continue;
    const char before = at > 0 ? text[at - 1] : ' ';
    const char after = at + 1 < text.size() ? text[at + 1] : ' ';
    if (!is_one_of("=<>!", before) && after != '=') {
      throw FormulaError(at, "a single '='; comparisons are ==, !=, <, <=, > and >=");
    }
  }
}

/// The offset of the first parenthesis that is not closed.
std::size_t unclosed(std::string_view text) {
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(') open.push_back(at);
    if (text[at] == ')' && !open.empty()) open.pop_back();
  }
  return open.empty() ? text.size() : open.back();
}

/// The offset of a character at or before the place where muParser has seen the error.
std::size_t token_before(std::string_view text, char token, std::size_t offset) {
  const std::size_t found = text.rfind(token, offset);
  return found == std::string_view::npos ? offset : found;
}

std::string unknown(const Names& names, std::string_view text, std::size_t offset) {
  const std::string_view name = name_at(text, offset);
  if (name.empty()) {
    return "'" + std::string(text.substr(offset, 1)) + "' is not expected here; " +
           "expected a number, a name or '('";
  }
  const std::string quoted = "'" + std::string(name) + "'";
  if (find_function(name) != nullptr) {
    return quoted + " is a function; write its arguments in parentheses after it";
  }
  std::string message = quoted + " is not known; names are";
  for (const auto& [known, node] : names) message += " " + known;
  message += ", and functions";
  for (const Function& function : functions()) message += " " + std::string(function.name);
  return message + "; case.definitions adds names";
}

FormulaError wrong_arguments(const mu::ParserError& error, std::string_view text) {
  const std::string& name = error.GetToken();
  const Function* const function = find_function(name);
  const int takes = function == nullptr ? 1 : function->arguments;
  const auto end = static_cast<std::size_t>(std::max(error.GetPos(), 0));
  const std::size_t at = text.rfind(name, end);
  return {at == std::string_view::npos ? end : at,
          "'" + name + "' takes " + (takes == 1 ? "one argument" : "two arguments")};
}

/// muParser's error with its column, in words for users.
FormulaError explained(const mu::ParserError& error, const Names& names, std::string_view text) {
  const auto offset = std::min(static_cast<std::size_t>(std::max(error.GetPos(), 0)), text.size());
  std::string token = error.GetToken();
  token.erase(token.find_last_not_of(kBlank) + 1);
  const std::string quoted = "'" + token + "'";
  switch (error.GetCode()) {
    case mu::ecEMPTY_EXPRESSION:
      return {0, "the formula is empty"};
    case mu::ecUNEXPECTED_EOF:
      return {text.size(), "the formula ends where a number, a name or '(' is expected"};
    case mu::ecUNASSIGNABLE_TOKEN:
      return {offset, unknown(names, text, offset)};
    case mu::ecMISSING_PARENS:
      return {unclosed(text), "this '(' has no ')'"};
    case mu::ecUNEXPECTED_PARENS:
      if (token != "(")
        return {offset, "')' is not expected here; no '(' is open, or a value is missing"};
      return {offset, "'(' is not expected here; expected an operator such as *"};
    case mu::ecTOO_MANY_PARAMS:
    case mu::ecTOO_FEW_PARAMS:
      return wrong_arguments(error, text);
    case mu::ecUNEXPECTED_OPERATOR:
      return {offset, quoted + " is not expected here; expected a number, a name or '('"};
    case mu::ecUNEXPECTED_VAL:
    case mu::ecUNEXPECTED_VAR:
    case mu::ecUNEXPECTED_FUN:
      return {offset, quoted + " is not expected here; expected an operator such as *"};
    case mu::ecUNEXPECTED_ARG_SEP:
    case mu::ecUNEXPECTED_ARG:
      return {token_before(text, ',', offset),
              "',' is not expected here; it separates the arguments of a function"};
    case mu::ecMISSING_ELSE_CLAUSE:
      return {text.rfind('?'), "this '?' has no ':'; write CONDITION ? VALUE : OTHER"};
    case mu::ecMISPLACED_COLON:
    case mu::ecUNEXPECTED_CONDITIONAL:
      return {token_before(text, ':', offset),
              "this part of ?: is not expected here; write CONDITION ? VALUE : OTHER"};
    default:
      return {offset, error.GetMsg()};
  }
}

}  // namespace

bool formulas_available() { return true; }

NodeId parse(Graph& graph, const Names& names, std::string_view text) {
  if (text.find_first_not_of(kBlank) == std::string_view::npos) {
    throw FormulaError(0, "the formula is empty");
  }
  check_characters(text);
  std::string one_line(text);
  std::replace_if(
      one_line.begin(), one_line.end(), [](char one) { return is_one_of(kBlank, one); }, ' ');
  Grammar grammar(names);
  try {
    grammar.SetExpr(one_line);
    grammar.Eval();  // makes the byte code
  } catch (const mu::ParserError& error) {
    throw explained(error, names, one_line);
  }
  return Translator(graph, grammar).translate(grammar.GetByteCode());
}

}  // namespace kumiko::cases::formula
