#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <kumiko/plugin/conformance.hpp>

namespace kumiko::plugin {

namespace {

nlohmann::json to_json_value(const Finding& finding) {
  return {{"check", finding.check},
          {"verdict", to_string(finding.verdict)},
          {"text", finding.text},
          {"figures", finding.numbers},
          {"seconds", finding.seconds}};
}

nlohmann::json to_json_value(const amr::SolverTraits& traits) {
  return {{"name", traits.name},
          {"components", traits.components},
          {"centring", traits.centring == amr::Centring::kCell ? "cell" : "node"},
          {"ghosts", traits.ghosts},
          {"cfl_limit", traits.cfl_limit},
          {"order", traits.order},
          {"characteristic_ghosts", traits.characteristic_ghosts},
          {"flux_form", traits.flux_form},
          {"tendency", traits.tendency},
          {"nonlinear", traits.nonlinear}};
}

auto count(const ConformanceReport& report, Verdict verdict) {
  return std::ranges::count(report.findings, verdict, &Finding::verdict);
}

std::string heading_of(const std::string& solver, const std::string& file) {
  return fmt::format("solver {}{}\n", solver, file.empty() ? "" : " of " + file);
}

}  // namespace

std::string heading(const SolverFactory& factory) {
  return heading_of(factory.name, factory.file.string());
}

std::string to_text(const Finding& finding) {
  return fmt::format("  {:<7}  {:<13}  {}\n", to_string(finding.verdict), finding.check,
                     finding.text);
}

std::string summary(const ConformanceReport& report) {
  return fmt::format("{}: {} passed, {} failed, {} skipped, {} noted, in {:.1f} s\n",
                     report.passed() ? "conforms" : "does not conform",
                     count(report, Verdict::kPassed), count(report, Verdict::kFailed),
                     count(report, Verdict::kSkipped), count(report, Verdict::kNoted),
                     report.seconds());
}

std::string to_text(const ConformanceReport& report) {
  std::string text = heading_of(report.solver, report.file);
  for (const Finding& finding : report.findings) text += to_text(finding);
  return text + summary(report);
}

std::string to_json(const ConformanceReport& report) {
  nlohmann::json findings = nlohmann::json::array();
  for (const Finding& finding : report.findings) findings.push_back(to_json_value(finding));
  const nlohmann::json document = {{"solver", report.solver},
                                   {"file", report.file},
                                   {"passed", report.passed()},
                                   {"seconds", report.seconds()},
                                   {"traits", to_json_value(report.traits)},
                                   {"findings", findings}};
  // It writes numbers that are not finite as null. Messages of strangers may hold bytes that are
  // not UTF-8.
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace kumiko::plugin
