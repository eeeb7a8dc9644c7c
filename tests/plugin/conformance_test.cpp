// Contract: the conformance kit passes every shipped solver, and of a solver with one defect it
// fails the checks that the defect belongs to, and no others.
#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kumiko/plugin/conformance.hpp>
#include <kumiko/plugin/registry.hpp>
#include <kumiko/runtime/fault.hpp>

#include "broken/broken.hpp"
#include "broken/burgers1.hpp"
#include "broken/upwind1.hpp"

namespace kumiko::plugin {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool kRacesAreReported = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool kRacesAreReported = true;
#else
constexpr bool kRacesAreReported = false;
#endif
#else
constexpr bool kRacesAreReported = false;
#endif

const SolverFactory& cubic() { return *find_solver("semi_lagrangian_cubic"); }

ConformanceReport report_of(const SolverFactory& factory) {
  return check_solver(factory, amr::defaults(factory.parameters), cubic());
}

template <class Solver>
ConformanceReport report_of_class() {
  return report_of(amr::factory_of<amr::Solver, Solver>());
}

std::set<std::string> failed_checks(const ConformanceReport& report) {
  std::set<std::string> names;
  for (const Finding& finding : report.findings) {
    if (finding.verdict == Verdict::kFailed) names.insert(finding.check);
  }
  return names;
}

void expect_only_the_declaration_fails(const ConformanceReport& report) {
  EXPECT_EQ(report.findings.size(), 16U) << "a solver is made, and all else is judged";
  EXPECT_EQ(failed_checks(report), std::set<std::string>{"declaration"}) << to_text(report);
}

const Finding& finding(const ConformanceReport& report, const std::string& check) {
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [&](const Finding& each) { return each.check == check; });
  if (found == report.findings.end()) throw std::logic_error("no finding of " + check);
  return *found;
}

TEST(Conformance, GivenAShippedSolverThenItPasses) {
  for (const SolverFactory& factory : shipped().solvers()) {
    const ConformanceReport report = report_of(factory);
    EXPECT_TRUE(report.passed()) << to_text(report);
    EXPECT_EQ(report.findings.size(), 16U);
    EXPECT_EQ(finding(report, "speed").verdict, Verdict::kNoted);
  }
}

TEST(Conformance, GivenAShippedSolverWithAnyOfItsChoicesThenItPasses) {
  for (const SolverFactory& factory : shipped().solvers()) {
    for (const amr::ParameterSpec& spec : factory.parameters) {
      for (const std::string& choice : spec.choices) {
        amr::ParameterSet parameters = amr::defaults(factory.parameters);
        parameters.set(spec.name, choice);
        const ConformanceReport report = check_solver(factory, parameters, cubic());
        EXPECT_TRUE(report.passed()) << spec.name << " = " << choice << "\n" << to_text(report);
      }
    }
  }
}

TEST(Conformance, GivenAReactionThenOnlyWhatTakesTheSolverForAdvectionFails) {
  const SolverFactory& factory = *find_solver("advection_reaction");
  amr::ParameterSet parameters = amr::defaults(factory.parameters);
  parameters.set("rate", 20.0);
  parameters.set("tolerance", 1e-4);  // hundred times fewer sub-steps
  const ConformanceReport report = check_solver(factory, parameters, cubic());
  EXPECT_EQ(failed_checks(report), (std::set<std::string>{"constants", "order"}))
      << to_text(report);
}

TEST(Conformance, GivenSmallSolversWithoutDefectThenTheyPass) {
  const ConformanceReport linear = report_of_class<broken::Upwind1>();
  EXPECT_TRUE(linear.passed()) << to_text(linear);
  const ConformanceReport nonlinear = report_of_class<broken::Burgers1>();
  EXPECT_TRUE(nonlinear.passed()) << to_text(nonlinear);
}

TEST(Conformance, GivenANonlinearSolverThenItsOrderAndItsStateCflAreJudged) {
  const ConformanceReport report = report_of_class<broken::Burgers1>();
  EXPECT_EQ(finding(report, "state_cfl").verdict, Verdict::kPassed);
  EXPECT_EQ(finding(report, "order").verdict, Verdict::kPassed);
  EXPECT_NEAR(finding(report, "order").numbers.at("order"), 1.0, 0.2);
  EXPECT_EQ(finding(report, "fluxes").verdict, Verdict::kPassed);
}

/// Three components that the solver asks for, as systems of equations do.
struct ThreeOfBurgers : broken::Burgers1 {
  explicit ThreeOfBurgers(const amr::ParameterSet& parameters) : Burgers1(parameters) {
    traits_.components = 3;
  }
};

TEST(Conformance, GivenASystemOfEquationsThenItIsJudgedButForItsSymmetry) {
  const ConformanceReport report = report_of_class<ThreeOfBurgers>();
  EXPECT_TRUE(report.passed()) << to_text(report);
  EXPECT_EQ(finding(report, "symmetry").verdict, Verdict::kSkipped);
  EXPECT_EQ(finding(report, "order").verdict, Verdict::kPassed);
}

/// A solver with one defect, and the checks that fail: no others may.
struct Defect {
  std::function<SolverFactory()> make;
  std::set<std::string> caught_by;
};

class ConformanceOfBroken : public testing::TestWithParam<Defect> {};

TEST_P(ConformanceOfBroken, GivenOneDefectThenTheChecksThatItBelongsToFail) {
  const Defect& defect = GetParam();
  const ConformanceReport report = report_of(defect.make());
  EXPECT_EQ(failed_checks(report), defect.caught_by) << to_text(report);
  EXPECT_FALSE(report.passed());
}

INSTANTIATE_TEST_SUITE_P(
    Defects, ConformanceOfBroken,
    testing::Values(
        Defect{broken::changes_constants, {"constants"}},
        Defect{broken::counts_calls, {"determinism", "thread_safety"}},
        Defect{broken::depends_on_place, {"translation"}}, Defect{broken::faces_differ, {"fluxes"}},
        Defect{broken::divides_by_slope, {"nan_input"}},
        Defect{broken::forgets_component, {"memory", "constants"}},
        Defect{broken::forgets_weight, {"declaration"}}, Defect{broken::hides_nan, {"nan_input"}},
        Defect{broken::leaks_flux, {"fluxes"}}, Defect{broken::leans_right, {"symmetry"}},
        Defect{broken::list_differs, {"determinism"}},
        Defect{broken::rescales_otherwise, {"determinism"}},
        Defect{broken::makes_nan, {"nan_input"}}, Defect{broken::negative_cfl, {"declaration"}},
        Defect{broken::overstates_cfl, {"stability"}}, Defect{broken::overstates_order, {"order"}},
        Defect{broken::prefers_x, {"symmetry"}},
        Defect{broken::reads_beyond_coefficients, {"memory"}},
        Defect{broken::reads_masked_layer, {"ghost_width"}},
        Defect{broken::reads_one_layer_more, {"ghost_width"}},
        Defect{broken::seams_differ, {"fluxes"}},
        Defect{broken::state_cfl_of_square, {"state_cfl"}},
        // Nothing that takes a step can pass.
        Defect{broken::throws_in_advance,
               {"memory", "ghost_width", "constants", "symmetry", "translation", "order",
                "stability", "determinism", "thread_safety", "speed"}},
        Defect{broken::undercounts_coefficients, {"memory"}},
        Defect{broken::writes_beyond, {"memory"}},
        Defect{broken::writes_beyond_coefficients, {"memory"}},
        Defect{broken::writes_coefficients, {"memory"}}, Defect{broken::writes_ghost, {"memory"}},
        Defect{broken::wrong_declaration, {"declaration"}},
        Defect{broken::wrong_displacement, {"displacement"}},
        Defect{broken::wrong_sign, {"order", "stability"}},
        Defect{broken::wrong_tendency, {"tendency"}}),
    [](const testing::TestParamInfo<Defect>& tested) { return tested.param.make().name; });

TEST(Conformance, GivenScratchSpaceThatThreadsShareThenThreadSafetyFails) {
  if (kRacesAreReported) GTEST_SKIP() << "ThreadSanitizer ends the test at the race itself";
  for (const auto make : {broken::shares_scratch, broken::lists_share_scratch}) {
    const ConformanceReport report = report_of(make());
    EXPECT_EQ(failed_checks(report), std::set<std::string>{"thread_safety"}) << to_text(report);
  }
}

TEST(Conformance, GivenAFailureThenItsTextNamesNumberAndRemedy) {
  const ConformanceReport report = report_of(broken::reads_one_layer_more());
  const Finding& width = finding(report, "ghost_width");
  EXPECT_NE(width.text.find("declare ghosts = 4"), std::string::npos) << width.text;
  EXPECT_EQ(width.numbers.at("declared"), 3.0);
  EXPECT_EQ(width.numbers.at("read"), 4.0);
}

void expect_all_others_are_skipped(const ConformanceReport& report, const std::string& failed) {
  EXPECT_EQ(failed_checks(report), std::set<std::string>{failed}) << to_text(report);
  for (const Finding& each : report.findings) {
    if (each.check == "declaration" || each.check == failed) continue;
    EXPECT_EQ(each.verdict, Verdict::kSkipped) << each.check;
    EXPECT_NE(each.text.find("see " + failed), std::string::npos) << each.text;
  }
}

TEST(Conformance, GivenAFailureThatAllStepsShareThenOneLineTellsIt) {
  const std::string remedy = "coefficients() must count all that prepare() fills";
  const std::pair<SolverFactory, std::string> told[] = {
      {broken::writes_beyond_coefficients(), "prepare() writes beyond the 925 coefficients"},
      {broken::reads_beyond_coefficients(), "depends on values beyond the 925 coefficients"},
      {broken::undercounts_coefficients(), "was given 0 values, but face_values(2) is 924"}};
  for (const auto& [factory, text] : told) {
    const ConformanceReport report = report_of(factory);
    EXPECT_NE(finding(report, "memory").text.find(text), std::string::npos) << to_text(report);
    EXPECT_NE(finding(report, "memory").text.find(remedy), std::string::npos) << to_text(report);
    expect_all_others_are_skipped(report, "memory");
  }
}

TEST(Conformance, GivenAPrepareThatFillsFarMoreThanIsDeclaredThenTheKitsMemoryStaysWhole) {
  struct FillsFarMore : broken::Upwind1 {
    explicit FillsFarMore(const amr::ParameterSet& parameters) : Upwind1(parameters) {}
    std::size_t coefficients() const override { return 1; }
    double prepare(const amr::Case&, const amr::PatchPoints&, double, double,
                   std::span<double> coefficients) const override {
      std::fill_n(coefficients.data(), 200000, 0.5);
      return 0.5;
    }
  };
  const ConformanceReport report = report_of_class<FillsFarMore>();
  EXPECT_EQ(finding(report, "memory").numbers.at("beyond_coefficients"), 199999.0);
  expect_all_others_are_skipped(report, "memory");
}

TEST(Conformance, GivenValuesThatAreNotFiniteThenOneLineTellsIt) {
  for (const auto& [factory, data] : {std::pair{broken::makes_nan(), "from noise"},
                                      {broken::divides_by_slope(), "from a constant"}}) {
    const ConformanceReport report = report_of(factory);
    EXPECT_NE(finding(report, "nan_input").text.find(data), std::string::npos) << to_text(report);
    for (const char* check : {"constants", "order", "stability", "determinism"}) {
      EXPECT_EQ(finding(report, check).verdict, Verdict::kSkipped);
    }
  }
}

TEST(Conformance, GivenASchemeThatIsUnstableAtAnyStepThenNoLowerLimitIsAdvised) {
  const ConformanceReport unstable = report_of(broken::wrong_sign());
  const std::string& text = finding(unstable, "stability").text;
  EXPECT_NE(text.find("a lower limit does not help"), std::string::npos) << text;
  EXPECT_NE(finding(unstable, "order").text.find("grows as the grid is refined"),
            std::string::npos);
  const ConformanceReport overstated = report_of(broken::overstates_cfl());
  EXPECT_NE(finding(overstated, "stability").text.find("declare a lower limit"), std::string::npos);
}

TEST(Conformance, GivenANegativeCflNumberThenTheDeclarationNamesIt) {
  const ConformanceReport report = report_of(broken::negative_cfl());
  EXPECT_NE(finding(report, "declaration").text.find("CFL number -0.2"), std::string::npos)
      << to_text(report);
  expect_all_others_are_skipped(report, "declaration");
}

TEST(Conformance, GivenAnObserverThenItIsToldOfEachCheckBeforeAndAfter) {
  std::vector<std::string> told;
  const SolverFactory factory = broken::wrong_declaration();
  const ConformanceReport report =
      check_solver(factory, amr::defaults(factory.parameters), cubic(),
                   {[&](const char* check) { told.push_back(std::string("begin ") + check); },
                    [&](const Finding& each) { told.push_back("end " + each.check); }});
  ASSERT_EQ(told.size(), 2 * report.findings.size());
  EXPECT_EQ(told[0], "begin declaration");
  EXPECT_EQ(told[1], "end declaration");
  EXPECT_EQ(told[2], "begin memory");
}

TEST(Conformance, GivenAFaultThenItsReportNamesCheckAndSolver) {
  struct TellsNotes : broken::Upwind1 {
    explicit TellsNotes(const amr::ParameterSet& parameters) : Upwind1(parameters) {}
    void advance(amr::ConstPatchView, std::span<const double>, amr::PatchView) const override {
      throw std::runtime_error(runtime::fault_notes());
    }
  };
  const ConformanceReport report = report_of_class<TellsNotes>();
  for (const char* check : {"memory", "stability", "thread_safety"}) {
    const std::string note = fmt::format("check {} of solver 'upwind1'", check);
    EXPECT_NE(finding(report, check).text.find(note), std::string::npos) << to_text(report);
  }
}

TEST(Conformance, GivenAnExceptionThenItsMessageIsInTheFinding) {
  const ConformanceReport report = report_of(broken::throws_in_advance());
  EXPECT_NE(finding(report, "order").text.find("this solver never advances"), std::string::npos);
}

TEST(Conformance, GivenASolverThatWritesAnywhereThenTheEngineIsNotRunWithIt) {
  const ConformanceReport report = report_of(broken::writes_beyond());
  EXPECT_EQ(finding(report, "order").verdict, Verdict::kSkipped);
}

TEST(Conformance, GivenTraitsThatAllowNoStepThenOnlyTheDeclarationIsJudged) {
  const ConformanceReport report = report_of(broken::wrong_declaration());
  for (const Finding& each : report.findings) {
    EXPECT_EQ(each.verdict, each.check == "declaration" ? Verdict::kFailed : Verdict::kSkipped);
  }
}

TEST(Conformance, GivenASolverThatCannotBeMadeThenTheDeclarationFails) {
  SolverFactory factory = cubic();
  factory.make = [](const amr::ParameterSet&) -> std::unique_ptr<amr::Solver> {
    throw std::runtime_error("out of order");
  };
  const ConformanceReport report = report_of(factory);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].check, "declaration");
  EXPECT_NE(report.findings[0].text.find("out of order"), std::string::npos);
}

SolverFactory with_parameter(const amr::ParameterSpec& spec) {
  SolverFactory factory = amr::factory_of<amr::Solver, broken::Upwind1>();
  factory.parameters.push_back(spec);
  return factory;
}

TEST(Declaration, GivenADefaultOutOfRangeThenItFails) {
  const SolverFactory factory = with_parameter({"limit", 3.0, "a limit", 0.0, 2.0});
  const ConformanceReport report = report_of(factory);
  EXPECT_NE(finding(report, "declaration").text.find("'limit'"), std::string::npos);
  expect_only_the_declaration_fails(report);
}

TEST(Declaration, GivenADefaultThatIsNoChoiceThenItFails) {
  const SolverFactory factory = with_parameter(
      {"limiter", std::string("none"), "a limiter", -1.0, 1.0, {"minmod", "superbee"}});
  expect_only_the_declaration_fails(report_of(factory));
}

TEST(Declaration, GivenAnExtremeThatIsRefusedWithAMessageThenItPasses) {
  SolverFactory factory = with_parameter({"limit", 1.0, "a limit", 0.0, 2.0});
  factory.make = [](const amr::ParameterSet& parameters) -> std::unique_ptr<amr::Solver> {
    if (parameters.number("limit") > 1.5) throw std::invalid_argument("limit is too large");
    return std::make_unique<broken::Upwind1>(parameters);
  };
  const ConformanceReport report = report_of(factory);
  EXPECT_TRUE(report.passed()) << to_text(report);
  EXPECT_EQ(finding(report, "declaration").numbers.at("values_refused"), 1.0);
}

TEST(Declaration, GivenANameThatIsNotTheSolversOwnThenItFails) {
  SolverFactory factory = cubic();
  factory.name = "cubic";
  expect_only_the_declaration_fails(report_of(factory));
}

TEST(Conformance, GivenAReportThenTextAndJsonHoldEveryFinding) {
  SolverFactory factory = broken::overstates_order();
  factory.file = "libx.so";
  const ConformanceReport report = report_of(factory);
  const std::string text = to_text(report);
  const nlohmann::json json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json.at("solver"), "overstates_order");
  EXPECT_EQ(json.at("file"), "libx.so");
  EXPECT_EQ(json.at("passed"), false);
  EXPECT_EQ(json.at("traits").at("ghosts"), 3);
  ASSERT_EQ(json.at("findings").size(), report.findings.size());
  for (std::size_t at = 0; at < report.findings.size(); ++at) {
    const Finding& each = report.findings[at];
    EXPECT_NE(text.find(each.check), std::string::npos);
    EXPECT_NE(text.find(each.text), std::string::npos);
    EXPECT_EQ(json.at("findings")[at].at("check"), each.check);
    EXPECT_EQ(json.at("findings")[at].at("verdict"), to_string(each.verdict));
  }
}

}  // namespace
}  // namespace kumiko::plugin
