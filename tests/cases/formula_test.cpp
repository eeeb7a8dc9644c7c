// Contract: formulas have the values and the bits of the same expression in C++, at any number of
// points, in any locale, from any number of threads; derivatives are exact; an error has its place.
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <locale>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "formula_grammar.hpp"
#include "formula_program.hpp"

namespace kumiko::cases::formula {
namespace {

/// Formulas in x, y, t and tau, with definitions.
struct Formulas {
  explicit Formulas(const std::string& definitions = "") {
    add_definitions(graph, names, definitions);
  }
  Program compile(const std::string& text) { return {graph, {parse(graph, names, text)}}; }
  double value(const std::string& text, double x = 0.3, double y = 0.7, Moment moment = {}) {
    double result = -1.0;
    compile(text).evaluate({{&x, 1}, {&y, 1}}, moment, {&result, 1});
    return result;
  }

  Graph graph;
  Names names = own_names(graph);
};

class FormulaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!formulas_available()) GTEST_SKIP() << "this build has no muParser";
  }
};

TEST_F(FormulaTest, GivenOperatorsThenTheirPrecedenceIsThatOfMathematics) {
  Formulas formulas;
  EXPECT_EQ(formulas.value("1 + 2*3"), 7.0);
  EXPECT_EQ(formulas.value("-2^2"), -4.0);
  EXPECT_EQ(formulas.value("2^-1"), 0.5);
  EXPECT_EQ(formulas.value("2^3^2"), 512.0);
  EXPECT_EQ(formulas.value("8/4/2 - 1 - 1"), -1.0);
  EXPECT_EQ(formulas.value("+.5e1"), 5.0);
  EXPECT_EQ(formulas.value("1 < 2 && 2 <= 2 && 3 > 2 && 2 >= 2 && 1 == 1 && 1 != 2"), 1.0);
  EXPECT_EQ(formulas.value("1 > 2 || !(1 > 2)"), 1.0);
  EXPECT_EQ(formulas.value("1 || 1 && 0"), 1.0);
  EXPECT_EQ(formulas.value("2*-3 + !0*2"), -4.0);
  EXPECT_EQ(formulas.value("x > 0.5 ? 1 : y > 0.5 ? 2 : 3"), 2.0);
  EXPECT_EQ(formulas.value("x > 0.5 ? 1 : (y > 0.9 ? 2 : 3) + 1"), 4.0);
  EXPECT_EQ(formulas.value("max(x, y) + min(x, y)\n\t- x - y"), 0.0);
  EXPECT_EQ(formulas.value("t + 10*tau", 0, 0, {.time = 2, .tau = 3}), 32.0);
  EXPECT_EQ(formulas.value("pi"), std::numbers::pi);
}

TEST_F(FormulaTest, GivenAPlaceThatAConditionKeepsOutThenItsNaNDoesNotMatter) {
  Formulas formulas;
  EXPECT_EQ(formulas.value("x == 0.3 ? 1 : 1/(x - 0.3)"), 1.0);
  EXPECT_EQ(formulas.value("x != 0.3 ? sqrt(-1) : 2"), 2.0);
}

TEST_F(FormulaTest, GivenFunctionsThenTheBitsAreTheCLibrarys) {
  Formulas formulas;
  using OfOne = double (*)(double);
  const std::vector<std::pair<std::string, OfOne>> all = {
      {"abs", std::abs},     {"acos", std::acos},   {"asin", std::asin}, {"atan", std::atan},
      {"ceil", std::ceil},   {"cos", std::cos},     {"cosh", std::cosh}, {"erf", std::erf},
      {"exp", std::exp},     {"floor", std::floor}, {"log", std::log},   {"log10", std::log10},
      {"round", std::round}, {"sin", std::sin},     {"sinh", std::sinh}, {"sqrt", std::sqrt},
      {"tan", std::tan},     {"tanh", std::tanh}};
  for (const auto& [name, function] : all) {
    for (const double x : {0.015625, 0.3, 0.7, 0.99}) {
      EXPECT_EQ(formulas.value(name + "(x)", x), function(x)) << name;
    }
  }
  EXPECT_EQ(formulas.value("atan2(y, x) + hypot(x, y) + x^y"),
            std::atan2(0.7, 0.3) + std::hypot(0.3, 0.7) + std::pow(0.3, 0.7));
  EXPECT_EQ(formulas.value("sign(x) - sign(-x) + sign(0)"), 2.0);
  EXPECT_EQ(all.size() + 5, functions().size()) << "a function without a test";
}

TEST_F(FormulaTest, GivenSmallPowersThenTheyAreProducts) {
  Formulas formulas;
  const double x = 0.1;
  EXPECT_EQ(formulas.value("x^2", x), x * x);
  EXPECT_EQ(formulas.value("x^3", x), x * x * x);
  EXPECT_EQ(formulas.value("x^4", x), (x * x) * (x * x));
}

TEST_F(FormulaTest, GivenAFormulaThenDerivativesAreThoseOfCalculus) {
  Formulas formulas;
  for (const std::string text :
       {"x^2*y - 3*x/y + x^3 + x^4", "sin(x)*cos(y) + tan(x*y)", "exp(-x*y) * log(x + y)",
        "asin(x*y) + acos(x*y/2) + atan(x/y)", "sinh(x) * cosh(y) - tanh(x*y)",
        "sqrt(x^2 + y^2) + hypot(x, 2*y) + atan2(y, x)", "x^y + x^2.5 + 2^(x*y)",
        "abs(x - y) + max(x, y^2) + min(x*y, 0.9*y)", "x < y ? x^2 : y^2",
        "erf(x*y) + log10(x + 1)", "floor(7*x) + ceil(y) + round(5*x) + sign(x - y) + (x < y) + x",
        "-x - (y - 2*x)"}) {
    const NodeId root = parse(formulas.graph, formulas.names, text);
    const Program along_x(formulas.graph, {formulas.graph.derivative(root, Variable::kX)});
    const Program along_y(formulas.graph, {formulas.graph.derivative(root, Variable::kY)});
    const double x = 0.31;
    const double y = 0.73;
    // A centred difference of order 6, whose error at h = 1e-3 is next to nothing.
    const auto difference = [&](double dx, double dy) {
      const double h = 1e-3;
      const auto at = [&](int n) { return formulas.value(text, x + n * h * dx, y + n * h * dy); };
      return (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * h);
    };
    double exact = 0.0;
    along_x.evaluate({{&x, 1}, {&y, 1}}, {}, {&exact, 1});
    EXPECT_NEAR(exact, difference(1, 0), 1e-10) << text;
    along_y.evaluate({{&x, 1}, {&y, 1}}, {}, {&exact, 1});
    EXPECT_NEAR(exact, difference(0, 1), 1e-10) << text;
  }
}

/// A formula with many names that are all alive at once.
std::string wide_formula(int width) {
  std::string sum = "0";
  std::string product = "1";
  for (int at = 1; at <= width; ++at) {
    const std::string term = "sin(" + std::to_string(at) + "*x + y)";
    sum += " + " + term;
    product += "*(1 + " + term + ")";
  }
  return sum + " + " + product;
}

TEST_F(FormulaTest, GivenAnyNumberOfPointsThenEachHasItsOwnValue) {
  Formulas formulas;
  for (const std::string& text : {std::string("x + 10*y"), wide_formula(5), wide_formula(90)}) {
    const Program program = formulas.compile(text);
    for (const std::size_t count : {0U, 1U, 31U, 32U, 33U, 256U, 400U}) {
      std::vector<double> x(count);
      std::vector<double> y(count);
      for (std::size_t at = 0; at < count; ++at) {
        x[at] = 0.01 * static_cast<double>(at);
        y[at] = 1.0 - x[at];
      }
      std::vector<double> values(count + 1, -7.0);
      program.evaluate({x, y}, {}, std::span(values).first(count));
      EXPECT_EQ(values.back(), -7.0) << "a value beyond the points";
      for (std::size_t at = 0; at < count; ++at) {
        double alone = 0.0;
        program.evaluate({{&x[at], 1}, {&y[at], 1}}, {}, {&alone, 1});
        ASSERT_EQ(values[at], alone) << at << " of " << count;
      }
    }
  }
}

TEST_F(FormulaTest, GivenManyThreadsThenOneProgramServesThemAllAtOnce) {
  Formulas formulas("r = hypot(x - t, y); s = sin(3*r)");
  const Program program = formulas.compile("x < y ? s^2 + exp(-r) : " + wide_formula(90));
  constexpr std::size_t kPoints = 200;
  std::vector<double> x(kPoints);
  std::vector<double> y(kPoints);
  for (std::size_t at = 0; at < kPoints; ++at) {
    x[at] = 0.005 * static_cast<double>(at);
    y[at] = 0.7 - 0.3 * x[at];
  }
  const auto values_at = [&](double time) {
    std::vector<double> values(kPoints);
    program.evaluate({x, y}, {.time = time}, values);
    return values;
  };
  const std::vector<std::vector<double>> expected = {values_at(0), values_at(1), values_at(2)};
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 60; ++round) {
        const int time = (thread + round) % 3;
        wrong += values_at(time) == expected[static_cast<std::size_t>(time)] ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

struct WithCommas final : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST_F(FormulaTest, GivenALocaleWithDecimalCommasThenNumbersStillHavePoints) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new WithCommas));
  Formulas formulas;
  EXPECT_EQ(formulas.value("1.5 + max(1000.25, 2)"), 1001.75);
  std::locale::global(before);
}

TEST_F(FormulaTest, GivenDefinitionsThenLaterOnesAndFormulasUseThem) {
  Formulas formulas("r = 0.15, half = r/2; dx = x - max(half, r)  # the distance\n\n q = dx^2\n");
  EXPECT_EQ(formulas.value("q"), (0.3 - 0.15) * (0.3 - 0.15));
  EXPECT_EQ(formulas.value("half"), 0.075);
}

TEST_F(FormulaTest, GivenWhatFormulasShareThenItIsComputedOnce) {
  Formulas formulas("r = hypot(x, y)");
  EXPECT_EQ(formulas.compile("sin(r) + cos(r) + sin(hypot(x, y))").operations(), 5U);
  EXPECT_EQ(formulas.compile("2*pi/4*1e3").operations(), 0U);
}

struct Mistake {
  std::string text;
  std::size_t column;
  std::string part;  ///< of the message
};

FormulaError error_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const FormulaError& error) {
    return error;
  }
  return {99, "no error"};
}

TEST_F(FormulaTest, GivenAMistakeThenTheErrorHasItsColumnAndWhatWasExpected) {
  const std::vector<Mistake> mistakes = {
      {"", 1, "empty"},
      {"  \n ", 1, "empty"},
      {"x +", 4, "ends where a number, a name or '('"},
      {"sin(x) * ", 10, "ends where"},
      {"x + foo(y)", 5, "'foo' is not known"},
      {"x + sine", 5, "functions abs acos"},
      {"(x + (y)", 1, "no ')'"},
      {"x + (y * sin(x)", 5, "no ')'"},
      {"x + y)", 6, "')' is not expected"},
      {"1 + atan2(x)", 5, "'atan2' takes two arguments"},
      {"sin(x, y)", 1, "'sin' takes one argument"},
      {"sin()", 1, "'sin' takes one argument"},
      {"1 + sin x", 5, "in parentheses"},
      {"2 x", 3, "expected an operator"},
      {"2x", 2, "expected an operator"},
      {"3(x)", 2, "expected an operator"},
      {"1.2.3", 4, "expected an operator"},
      {"x ** 2", 4, "expected a number, a name"},
      {"x, y", 2, "outside a function"},
      {"(x, y)", 3, "arguments of a function"},
      {"1 + (x = 3)", 8, "comparisons are =="},
      {"x & y", 3, "'&'"},
      {"x ? 1", 3, "no ':'"},
      {"x : 1", 3, "CONDITION ? VALUE : OTHER"},
      {"x + 1e999", 1, "double precision"},
      {"x\xc2\xb2", 2, "a character that formulas do not have"},
      {"\"x\"", 1, "a character that formulas do not have"},
      {"x\n + z", 6, "'z' is not known"},
      {std::string(20000, '('), 10001, "10000 characters"},
  };
  for (const Mistake& mistake : mistakes) {
    Formulas formulas;
    const FormulaError error = error_of([&] { formulas.compile(mistake.text); });
    EXPECT_EQ(error.offset() + 1, mistake.column) << mistake.text << ": " << error.what();
    EXPECT_NE(std::string(error.what()).find(mistake.part), std::string::npos)
        << mistake.text << ": " << error.what();
  }
}

TEST_F(FormulaTest, GivenAMistakeInADefinitionThenTheErrorHasItsPlace) {
  const std::vector<Mistake> mistakes = {
      {"a = 1; x = 2", 8, "reserved"},
      {"tau = 2", 1, "reserved"},
      {"pi = 3", 1, "reserved"},
      {"sin = 2", 1, "is a function"},
      {"a = 1, a = 2", 8, "defined twice"},
      {"a 2", 3, "expected '='"},
      {"a", 2, "expected '='"},
      {" = 2", 2, "missing its name"},
      {"2a = 2", 1, "missing its name"},
      {"a = ", 4, "empty"},
      {"a = 1/0", 5, "not finite"},
      {"a = 1; b = log(-a)", 12, "not finite"},
      {"a = b; b = 1", 5, "not known"},
      {"# ok\na = 1 + (2", 14, "no ')'"},
  };
  for (const Mistake& mistake : mistakes) {
    const FormulaError error = error_of([&] { Formulas made(mistake.text); });
    EXPECT_EQ(error.offset() + 1, mistake.column) << mistake.text << ": " << error.what();
    EXPECT_NE(std::string(error.what()).find(mistake.part), std::string::npos)
        << mistake.text << ": " << error.what();
  }
  EXPECT_EQ(place_in("a = 1", 4), "column 5");
  EXPECT_EQ(place_in("a = 1\nb = 2\n", 10), "line 2, column 5");
}

/// Random strings of pieces of formulas are read or refused, and nothing else.
TEST_F(FormulaTest, GivenAnyTextThenItIsReadOrRefused) {
  const std::vector<std::string> pieces = {"x", "y",  "1",    "2.5", "+", "-",    "*",  "/",  "^",
                                           "(", ")",  ",",    "?",   ":", "sin(", "<",  "&&", "!",
                                           "=", "==", "max(", "a",   " ", "1e9",  "||", "."};
  unsigned state = 1;
  int read = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int piece = 0; piece < 2 + round % 9; ++piece) {
      state = state * 1664525U + 1013904223U;
      text += pieces[(state >> 16) % pieces.size()];
    }
    Formulas formulas;
    try {
      const Program program = formulas.compile(text);
      const double x = 0.5;
      double value = 0.0;
      program.evaluate({{&x, 1}, {&x, 1}}, {}, {&value, 1});
      ++read;
    } catch (const FormulaError& error) {
      ASSERT_LE(error.offset(), text.size()) << text;
      ASSERT_FALSE(std::string(error.what()).empty()) << text;
    }
  }
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace kumiko::cases::formula
