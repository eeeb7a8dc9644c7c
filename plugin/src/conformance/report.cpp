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

auto count(std::span<const Finding> findings, Verdict verdict) {
  return std::ranges::count(findings, verdict, &Finding::verdict);
}

nlohmann::json to_json_value(std::span<const Finding> findings) {
  nlohmann::json list = nlohmann::json::array();
  for (const Finding& finding : findings) list.push_back(to_json_value(finding));
  return list;
}

/// It has numbers that are not finite as null. Messages of strangers may hold bytes that are not
/// UTF-8.
std::string text_of(const nlohmann::json& document) {
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
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

std::string summary(std::span<const Finding> findings) {
  double seconds = 0.0;
  for (const Finding& finding : findings) seconds += finding.seconds;
  const auto failed = count(findings, Verdict::kFailed);
  return fmt::format("{}: {} passed, {} failed, {} skipped, {} noted, in {:.1f} s\n",
                     failed == 0 ? "conforms" : "does not conform",
                     count(findings, Verdict::kPassed), failed, count(findings, Verdict::kSkipped),
                     count(findings, Verdict::kNoted), seconds);
}

std::string to_text(const ConformanceReport& report) {
  std::string text = heading_of(report.solver, report.file);
  for (const Finding& finding : report.findings) text += to_text(finding);
  return text + summary(report.findings);
}

std::string to_json(const ConformanceReport& report) {
  const nlohmann::json document = {{"solver", report.solver},
                                   {"file", report.file},
                                   {"passed", report.passed()},
                                   {"seconds", report.seconds()},
                                   {"traits", to_json_value(report.traits)},
                                   {"findings", to_json_value(report.findings)}};
  return text_of(document);
}

std::string to_json(std::span<const Finding> findings) { return text_of(to_json_value(findings)); }

}  // namespace kumiko::plugin
