// kumiko case check: checks that what a case says of flow, values and solution agrees.
#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/core.h>

#include <kumiko/plugin/case_check.hpp>

#include "commands/check_view.hpp"
#include "options/commands.hpp"
#include "run/shared_options.hpp"

namespace kumiko::app {

namespace {

struct CaseCheckRequest : CaseRequest {
  bool json = false;
};

int check_case(CaseCheckRequest& request) {
  prepare_to_step(request);
  const Setup setup = load_setup(request);
  const std::string file = setup.case_file.string();
  const std::string whose = fmt::format("case '{}'", setup.run.case_name);
  CheckView view(request.json);
  const std::vector<plugin::Finding> findings = plugin::check_case(
      *setup.the_case, fmt::format("{} of '{}'", whose, file),
      view.begin(whose, fmt::format("case {} of {}\n", setup.run.case_name, file)));
  view.end(plugin::summary(findings));
  if (request.json) print_at_once(plugin::to_json(findings));
  const bool has_failed =
      std::ranges::count(findings, plugin::Verdict::kFailed, &plugin::Finding::verdict) > 0;
  return has_failed ? kRunFailed : kDone;
}

}  // namespace

Action case_check_command(Options& options) {
  const auto request = std::make_shared<CaseCheckRequest>();
  add_case(options, *request, {.has_workers = false, .has_results = false});
  options.add("--json", &request->json, "as JSON");
  return [request] { return check_case(*request); };
}

}  // namespace kumiko::app
