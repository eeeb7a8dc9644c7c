// Prints the tables of docs/reference/accuracy.md as Markdown; scripts/accuracy runs it.
// `accuracy_tables N` stops at base grids of N × N points (default 512).
#include <cstdlib>
#include <optional>

#include <fmt/core.h>

#include "accuracy_runs.hpp"

namespace kumiko::amr {
namespace {

using test::cubic_solver;
using test::default_solver;
using test::following_options;
using test::run_options;
using test::shipped_case;

/// How the mesh comes about.
enum class Mesh {
  kUniform,
  kChequered,  ///< two levels, the finer one on every other 1/8 × 1/8 square throughout
  kFollowing,  ///< two levels, the finer one on the hump, threshold in proportion to h²
  kDefault     ///< two levels by Löhner's indicator with the default options
};

struct Method {
  std::string label;
  Mesh mesh;
  bool subcycling;
  TimeInterpolation interpolation;
};

struct Problem {
  std::string name;
  test::CaseParameters parameters;
  double crossings;  ///< of the domain by the fastest component of the velocity
};

std::unique_ptr<Case> make_case(const Problem& problem, Mesh mesh) {
  auto plain = shipped_case(problem.name, problem.parameters);
  if (mesh != Mesh::kChequered) return plain;
  return std::make_unique<test::Chequered>(std::move(plain));
}

/// A finished run, as much as tables want.
struct Result {
  ErrorNorms errors;
  std::vector<double> field;  ///< weighted leaves
  double updates;             ///< of points
};

SimulationOptions options_for(const Method& method, int n, int steps) {
  SimulationOptions options = run_options(n, method.mesh == Mesh::kUniform ? 1 : 2, steps);
  if (method.mesh == Mesh::kChequered) options = test::chequered_options(n, steps);
  if (method.mesh == Mesh::kFollowing) options = following_options(n, steps);
  options.time_interpolation = method.interpolation;
  options.subcycling = method.subcycling;
  if (!method.subcycling) {
    // The finer level's step is the same as with subcycling, and so is the time between regrids.
    options.steps = 2 * steps;
    options.refinement.interval *= 2;
  }
  return options;
}

Result compute(const Problem& problem, const Solver& solver, const Method& method, int n) {
  const auto the_case = make_case(problem, method.mesh);
  const auto backend = make_backend("threads", 0);
  const int steps = test::steps_for(problem.crossings, n);
  const SimulationOptions options = options_for(method, n, steps);
  Simulation run(*the_case, solver, *backend, options);
  run.advance(options.steps);
  return {*error_norms(run.hierarchy(), *the_case, run.time(), *backend),
          test::weighted_leaves(run.hierarchy()), static_cast<double>(run.counters().updates())};
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t at = 0; at < a.size(); ++at) sum += (a[at] - b[at]) * (a[at] - b[at]);
  return std::sqrt(sum);
}

/// A row of figures for N, 2N, ...: each with the order observed since the one before.
class Row {
 public:
  explicit Row(const std::string& label) { fmt::print("| {} |", label); }
  ~Row() { fmt::print("\n"); }
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;
  void add(double error) {
    fmt::print(" {:.2e}", error);
    if (last_) fmt::print(" ({:.2f})", std::log2(*last_ / error));
    fmt::print(" |");
    last_ = error;
  }

 private:
  std::optional<double> last_;
};

/// One for each N.
using Results = std::vector<Result>;

class Tables {
 public:
  explicit Tables(int largest) {
    for (int n = 64; n <= largest; n *= 2) sizes_.push_back(n);
  }

  /// \return the results of each method
  std::vector<Results> convergence(const Problem& problem,
                                   const std::vector<Method>& methods) const {
    std::vector<Results> all;
    const auto solver = default_solver();
    head("RMS error (order)");
    for (const Method& method : methods) {
      all.push_back(results(problem, *solver, method));
      Row row(method.label);
      for (const Result& result : all.back()) row.add(result.errors.rms);
    }
    head("largest error (order)");
    for (std::size_t at = 0; at < methods.size(); ++at) {
      Row row(methods[at].label);
      for (const Result& result : all[at]) row.add(result.errors.linf);
    }
    head("point updates, 10⁶");
    for (std::size_t at = 0; at < methods.size(); ++at) {
      fmt::print("| {} |", methods[at].label);
      for (const Result& result : all[at]) fmt::print(" {:.1f} |", result.updates * 1e-6);
      fmt::print("\n");
    }
    return all;
  }

  /// What linear interpolation in time adds to the characteristic ghosts' error.
  void excess(const Results& linear, const Results& traced) const {
    head("excess of linear over characteristic (order)");
    const auto row = [&](const std::string& label, const auto& figure) {
      Row line(label);
      for (std::size_t at = 0; at < sizes_.size(); ++at) line.add(figure(linear[at], traced[at]));
    };
    row("difference of the RMS errors",
        [](const Result& one, const Result& other) { return one.errors.rms - other.errors.rms; });
    row("RMS of the solutions' difference",
        [](const Result& one, const Result& other) { return distance(one.field, other.field); });
    fmt::print("| first row ÷ linear's RMS error |");
    for (std::size_t at = 0; at < sizes_.size(); ++at) {
      const double error = linear[at].errors.rms;
      fmt::print(" {:.0f} % |", 100.0 * (error - traced[at].errors.rms) / error);
    }
    fmt::print("\n");
  }

  void departures(const Problem& problem) const {
    const Method uniform{"", Mesh::kUniform, true, TimeInterpolation::kCharacteristic};
    const auto exact = results(problem, *cubic_solver("exact"), uniform);
    const std::vector<std::string> names = {"first_order", "second_order"};
    std::vector<Results> all;
    head("RMS error (order)");
    for (const std::string& name : names) {
      all.push_back(results(problem, *cubic_solver(name), uniform));
      Row row("`" + name + "`");
      for (const Result& result : all.back()) row.add(result.errors.rms);
    }
    {
      Row row("`exact`");
      for (const Result& result : exact) row.add(result.errors.rms);
    }
    head("RMS of the difference from `exact` (order)");
    for (std::size_t at = 0; at < names.size(); ++at) {
      Row row("`" + names[at] + "`");
      for (std::size_t k = 0; k < exact.size(); ++k) {
        row.add(distance(all[at][k].field, exact[k].field));
      }
    }
  }

 private:
  Results results(const Problem& problem, const Solver& solver, const Method& method) const {
    Results all;
    for (const int n : sizes_) all.push_back(compute(problem, solver, method, n));
    return all;
  }

  void head(const std::string& what) const {
    fmt::print("\n| {} |", what);
    for (const int n : sizes_) fmt::print(" N = {} |", n);
    fmt::print("\n|---|");
    for (std::size_t at = 0; at < sizes_.size(); ++at) fmt::print("---|");
    fmt::print("\n");
  }

  std::vector<int> sizes_;
};

constexpr std::size_t kLinearRow = 2;
constexpr std::size_t kTracedRow = 3;

std::vector<Method> methods_on(Mesh mesh) {
  const auto traced = TimeInterpolation::kCharacteristic;
  return {{"uniform", Mesh::kUniform, true, traced},
          {"AMR", mesh, false, traced},
          {"AMR + subcycling, linear", mesh, true, TimeInterpolation::kLinear},
          {"AMR + subcycling, characteristic", mesh, true, traced}};
}

/// The mark after which scripts/accuracy writes what follows into docs/reference/accuracy.md.
void section(const char* name) { fmt::print("<!-- table {} -->\n", name); }

void print_tables(int largest) {
  const Tables tables(largest);
  const Problem gaussian{"gaussian", {}, std::numbers::pi};
  const Problem vortex{"vortex", {{"period", 1.0}, {"initial", "gaussian"}}, 1.0};
  section("gaussian");
  const auto crossed = tables.convergence(gaussian, methods_on(Mesh::kChequered));
  section("excess");
  tables.excess(crossed[kLinearRow], crossed[kTracedRow]);
  section("vortex");
  auto methods = methods_on(Mesh::kChequered);
  methods.push_back({"AMR that follows + subcycling, characteristic", Mesh::kFollowing, true,
                     TimeInterpolation::kCharacteristic});
  tables.convergence(vortex, methods);
  section("following");
  methods = methods_on(Mesh::kFollowing);
  methods.push_back({"AMR + subcycling, default threshold", Mesh::kDefault, true,
                     TimeInterpolation::kCharacteristic});
  tables.convergence(gaussian, methods);
  section("departures");
  tables.departures(gaussian);
}

}  // namespace
}  // namespace kumiko::amr

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 512;
  if (argc > 2 || largest < 64) {
    fmt::print(stderr, "usage: accuracy_tables [N], 64 or more\n");
    return 2;
  }
  kumiko::amr::print_tables(largest);
  return 0;
}
