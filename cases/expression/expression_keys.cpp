#include "expression_keys.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

#include "formula_text.hpp"

namespace kumiko::cases {

namespace {

using amr::BoundaryKind;
using amr::ParameterSet;
using formula::FormulaError;
using formula::kNoNode;
using formula::NodeId;
using formula::Operation;
using formula::Program;
using formula::Variable;
using formula::Variables;

/// What a formula may depend on, and the words for it.
struct Arguments {
  Variables variables;
  const char* words;
};

constexpr Variables kPlace = only(Variable::kX) | only(Variable::kY);
constexpr Arguments kOfNothing = {0, "a number or a formula of numbers"};
constexpr Arguments kOfTime = {only(Variable::kTime), "a formula in t"};
constexpr Arguments kOfPlace = {kPlace, "a formula in x and y"};
constexpr Arguments kOfPlaceAndTime = {kPlace | only(Variable::kTime), "a formula in x, y and t"};
constexpr Arguments kOfOutside = {kPlace | only(Variable::kTime),
                                  "periodic, outflow, reflecting or a formula in x, y and t"};
constexpr Arguments kOfMoves = {kPlace | only(Variable::kTime) | only(Variable::kTau),
                                "a formula in x, y, t and tau"};

constexpr std::array<const char*, 4> kSideKeys = {"left", "right", "bottom", "top"};

/// "x and t"
std::string in_words(Variables variables) {
  std::string words;
  for (const auto& [variable, name] :
       {std::pair{Variable::kX, "x"}, std::pair{Variable::kY, "y"}, std::pair{Variable::kTime, "t"},
        std::pair{Variable::kTau, "tau"}}) {
    if ((variables & only(variable)) != 0)
      words += (words.empty() ? "" : " and ") + std::string(name);
  }
  return words;
}

std::string text_of(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", value);
  return text.data();
}

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

/// \param what  the key's value
[[noreturn]] void refuse_at(const std::string& key, std::string_view text,
                            const FormulaError& error, const std::string& what) {
  refuse("case." + key + ", " + formula::place_in(text, error.offset()) + ": " + error.what() +
         " (the key is " + what + ")");
}

/// Reads the formulas of a case into one graph, so that programs share what they can.
class ExpressionReader {
 public:
  explicit ExpressionReader(const ParameterSet& parameters)
      : parameters_(parameters), names_(formula::own_names(graph_)) {
    const std::string& text = parameters.text("definitions");
    try {
      formula::add_definitions(graph_, names_, text);
    } catch (const FormulaError& error) {
      refuse_at("definitions", text, error, "a list NAME = FORMULA; ...");
    }
  }

  bool has(const std::string& key) const { return !parameters_.text(key).empty(); }

  /// The formula of a key.
  NodeId node(const std::string& key, Arguments arguments) {
    return node(key, parameters_.text(key), arguments);
  }
  NodeId node(const std::string& key, const std::string& text, Arguments arguments) {
    try {
      const NodeId root = formula::parse(graph_, names_, text);
      if ((graph_.at(root).variables & ~arguments.variables) != 0) {
        const std::size_t at = formula::find_name_beyond(graph_, names_, text, arguments.variables);
        throw FormulaError(at, "'" + std::string(formula::name_at(text, at)) +
                                   "' cannot be used here, because it depends on " +
                                   in_words(graph_.at(root).variables & ~arguments.variables));
      }
      return root;
    } catch (const FormulaError& error) {
      refuse_at(key, text, error, arguments.words);
    }
  }

  /// The value of a formula of numbers.
  double number(const std::string& key) { return graph_.at(node(key, kOfNothing)).value; }

  std::optional<Program> program(const std::string& key, Arguments arguments) {
    if (!has(key)) return std::nullopt;
    return Program(graph_, {node(key, arguments)});
  }

  ExpressionSide side(const std::string& key) {
    const std::string& named = has(key) ? key : "boundary";
    const std::string& text = parameters_.text(named);
    if (text == "periodic") return {{BoundaryKind::kPeriodic}};
    if (text == "outflow") return {{BoundaryKind::kOutflow}};
    if (text == "reflecting") return {{BoundaryKind::kReflecting}};
    const NodeId root = node(named, text, kOfOutside);
    if (graph_.is_constant(root)) {
      return {{BoundaryKind::kFixedValue, graph_.at(root).value}, std::nullopt, named};
    }
    return {{BoundaryKind::kPrescribed}, Program(graph_, {root}), named};
  }

  formula::Graph& graph() { return graph_; }

 private:
  const ParameterSet& parameters_;
  formula::Graph graph_;
  formula::Names names_;
};

/// The flow's formulas, each times the factor.
struct Flow {
  NodeId x;
  NodeId y;
  NodeId stream_function = kNoNode;
  NodeId factor = kNoNode;
  bool is_separable = false;  ///< the factor alone depends on the time
};

Flow read_flow(ExpressionReader& reader) {
  const bool has_stream_function = reader.has("stream_function");
  const bool has_velocity = reader.has("velocity_x") || reader.has("velocity_y");
  if (has_stream_function == has_velocity) {
    refuse(has_velocity
               ? "case.stream_function and case.velocity_x, velocity_y are all given; give "
                 "the stream function alone, from which the velocity follows, or the "
                 "velocity alone"
               : "the case has no velocity; give case.stream_function, or case.velocity_x "
                 "and case.velocity_y");
  }
  if (has_velocity && reader.has("velocity_x") != reader.has("velocity_y")) {
    refuse(std::string("case.") + (reader.has("velocity_x") ? "velocity_y" : "velocity_x") +
           " is missing; give both components of the velocity, \"0\" for none");
  }
  formula::Graph& graph = reader.graph();
  Flow flow{};
  if (has_stream_function) {
    flow.stream_function = reader.node("stream_function", kOfPlaceAndTime);
    flow.x = graph.derivative(flow.stream_function, Variable::kY);
    flow.y = graph.apply(Operation::kNegate, graph.derivative(flow.stream_function, Variable::kX));
  } else {
    flow.x = reader.node("velocity_x", kOfPlaceAndTime);
    flow.y = reader.node("velocity_y", kOfPlaceAndTime);
  }
  if (!reader.has("velocity_factor")) return flow;
  const NodeId factor = reader.node("velocity_factor", kOfTime);
  const auto is_timed = [&](NodeId node) {
    return (graph.at(node).variables & only(Variable::kTime)) != 0;
  };
  flow.is_separable = is_timed(factor) && !is_timed(flow.x) && !is_timed(flow.y) &&
                      (!has_stream_function || !is_timed(flow.stream_function));
  flow.factor = factor;
  for (NodeId* const each : {&flow.x, &flow.y, &flow.stream_function}) {
    if (*each != kNoNode) *each = graph.apply(Operation::kMultiply, factor, *each);
  }
  return flow;
}

/// Sets `factor` and a time at which its absolute value is large: the largest of 65 in the run.
void read_factor(const formula::Graph& graph, const Flow& flow, ExpressionProblem& problem) {
  if (!flow.is_separable) return;
  const Program factor(graph, {flow.factor});
  constexpr int kTimes = 64;
  double largest = 0.0;
  for (int at = 0; at <= kTimes; ++at) {
    const double time = problem.end_time * at / kTimes;
    const double size = std::abs(factor.at({.time = time}));
    if (!std::isfinite(size)) {
      refuse("case.velocity_factor is not finite at t = " + text_of(time) +
             "; give a formula with finite values during the whole run");
    }
    if (size <= largest) continue;
    largest = size;
    problem.unit_factor_time = time;
  }
  if (largest > 0.0) problem.factor = factor;
}

amr::Extent read_extent(const ParameterSet& parameters) {
  const std::vector<double>& extent = parameters.numbers("extent");
  if (extent.size() != 2) {
    refuse("case.extent has " + std::to_string(extent.size()) +
           " numbers; give two, the domain's length in x and in y, e.g. [1.0, 1.0]");
  }
  return {extent[0], extent[1]};
}

std::array<ExpressionSide, 4> read_sides(ExpressionReader& reader) {
  std::array<ExpressionSide, 4> sides;
  for (std::size_t at = 0; at < sides.size(); ++at) sides[at] = reader.side(kSideKeys[at]);
  for (std::size_t at = 0; at < sides.size(); at += 2) {
    const auto is_periodic = [&](std::size_t side) {
      return sides[side].boundary.kind == BoundaryKind::kPeriodic;
    };
    if (is_periodic(at) == is_periodic(at + 1)) continue;
    const std::size_t periodic = is_periodic(at) ? at : at + 1;
    refuse(std::string("the ") + kSideKeys[periodic] +
           " side is periodic and the opposite is not; " + "set case." + kSideKeys[at] +
           " and case." + kSideKeys[at + 1] + " to \"periodic\"");
  }
  return sides;
}

std::optional<Program> read_displacement(ExpressionReader& reader) {
  if (!reader.has("displacement_x") && !reader.has("displacement_y")) return std::nullopt;
  for (const char* const key : {"displacement_x", "displacement_y"}) {
    if (!reader.has(key)) refuse(std::string("case.") + key + " is missing; give both components");
  }
  const NodeId x = reader.node("displacement_x", kOfMoves);
  const NodeId y = reader.node("displacement_y", kOfMoves);
  return Program(reader.graph(), {x, y});
}

/// Evaluates programs at five points, at times of the run.
class Samples {
 public:
  using Five = std::array<double, 5>;

  Samples(const Five& x, const Five& y, std::vector<double> times)
      : x_(x), y_(y), times_(std::move(times)) {}

  /// \param outputs  of the program, one or two
  void check(const std::string& what, const Program& program, int outputs = 1) const {
    for (const double time : times_) {
      std::array<double, 5> first{};
      std::array<double, 5> second{};
      if (outputs == 1) {
        program.evaluate({x_, y_}, {time, time}, first);
      } else {
        program.evaluate({x_, y_}, {time, time}, amr::Vectors{first, second});
      }
      for (std::size_t at = 0; at < x_.size(); ++at) {
        if (std::isfinite(first[at]) && std::isfinite(second[at])) continue;
        refuse(what + " is not finite at x = " + text_of(x_[at]) + ", y = " + text_of(y_[at]) +
               ", t = " + text_of(time) +
               "; give a formula with finite values in the whole domain, e.g. CONDITION ? VALUE : "
               "OTHER where it would divide by 0");
      }
    }
  }

 private:
  Five x_;
  Five y_;
  std::vector<double> times_;
};

/// On a side, at the start, halfway and at the end.
Samples samples_on(std::size_t side, const ExpressionProblem& problem) {
  const bool is_along_y = side < 2;
  const double length = is_along_y ? problem.extent.y : problem.extent.x;
  const Samples::Five along = {0.0, 0.25 * length, 0.5 * length, 0.75 * length, length};
  Samples::Five across;
  across.fill(side % 2 == 0 ? 0.0 : is_along_y ? problem.extent.x : problem.extent.y);
  const std::vector<double> times = {0.0, 0.5 * problem.end_time, problem.end_time};
  return is_along_y ? Samples(across, along, times) : Samples(along, across, times);
}

void check_values(const ExpressionProblem& problem) {
  const auto [x, y] = problem.extent;
  const double end = problem.end_time;
  // Corners and middle, at the start, halfway and at the end.
  const Samples::Five corners_x = {0.0, x, 0.0, x, 0.5 * x};
  const Samples::Five corners_y = {0.0, 0.0, y, y, 0.5 * y};
  const Samples samples(corners_x, corners_y, {0.0, 0.5 * end, end});
  samples.check("case.initial", problem.initial);
  if (problem.stream_function) samples.check("case.stream_function", *problem.stream_function);
  samples.check(problem.stream_function ? "the velocity of case.stream_function"
                                        : "the velocity of case.velocity_x and velocity_y",
                problem.velocity, 2);
  if (problem.displacement) {
    samples.check("the displacement of case.displacement_x and displacement_y",
                  *problem.displacement, 2);
  }
  if (problem.exact) {
    Samples(corners_x, corners_y, {0.5 * end, end}).check("case.exact", *problem.exact);
  }
  for (std::size_t at = 0; at < problem.sides.size(); ++at) {
    const ExpressionSide& side = problem.sides[at];
    if (side.prescribed) samples_on(at, problem).check("case." + side.key, *side.prescribed);
    if (!std::isfinite(side.boundary.value)) {
      refuse("the value of case." + side.key + " is not finite");
    }
  }
}

}  // namespace

std::vector<amr::ParameterSpec> expression_keys() {
  const auto text = [](const char* name, const char* value, const char* help) {
    return amr::ParameterSpec{.name = name, .default_value = std::string(value), .help = help};
  };
  return {
      text("initial", "", "u at t = 0, a formula in x and y; required"),
      text("stream_function", "",
           "psi(x, y, t): the velocity is (d psi/dy, -d psi/dx), by exact derivatives"),
      text("velocity_x", "", "velocity along x, a formula in x, y and t, if no stream function"),
      text("velocity_y", "", "velocity along y"),
      text("velocity_factor", "", "a formula in t that multiplies velocity and stream function"),
      text("exact", "", "the exact solution, a formula in x, y and t, for error norms"),
      text("displacement_x", "",
           "way along x of what is at (x, y) at t, back over tau; for departure = \"exact\""),
      text("displacement_y", "", "way along y"),
      text("definitions", "",
           "names for the formulas: \"r = 0.15; dx = x - 0.5\", by semicolons or new lines"),
      text("end", "1", "length of the whole run, a formula of numbers such as 2*pi"),
      {"extent", std::vector<double>{1.0, 1.0}, "lengths of the domain along x and y", 1e-9, 1e9},
      text("boundary", "0",
           "all sides that have no key of their own: periodic, outflow, reflecting, or the value "
           "outside, a formula in x, y and t"),
      text("left", "", "the side at x = 0, as boundary"),
      text("right", "", "the side opposite, as boundary"),
      text("bottom", "", "the side at y = 0, as boundary"),
      text("top", "", "the side opposite, as boundary")};
}

ExpressionProblem read_expression(const ParameterSet& parameters) {
  if (!formula::formulas_available()) {
    refuse(
        "this build reads no formulas, because muParser was missing; install libmuparser-dev "
        "(scripts/setup does), then configure and build Kumiko again");
  }
  ExpressionReader reader(parameters);
  if (!reader.has("initial")) {
    refuse("case.initial is missing; give the values at t = 0 as a formula in x and y");
  }
  const NodeId initial = reader.node("initial", kOfPlace);
  const Flow flow = read_flow(reader);
  const double end_time = reader.number("end");
  if (!(end_time > 0.0) || !std::isfinite(end_time)) {
    refuse("case.end is " + parameters.text("end") + "; give a length of time above 0");
  }
  formula::Graph& graph = reader.graph();
  ExpressionProblem problem{.extent = read_extent(parameters),
                            .end_time = end_time,
                            .initial = Program(graph, {initial}),
                            .velocity = Program(graph, {flow.x, flow.y})};
  if (flow.stream_function != kNoNode) {
    problem.stream_function = Program(graph, {flow.stream_function});
  }
  problem.displacement = read_displacement(reader);
  problem.exact = reader.program("exact", kOfPlaceAndTime);
  problem.sides = read_sides(reader);
  check_values(problem);
  read_factor(graph, flow, problem);
  return problem;
}

}  // namespace kumiko::cases
