#include "options.hpp"

#include <type_traits>
#include <utility>

#include <CLI/CLI.hpp>

#include "misspelling.hpp"
#include "request.hpp"

namespace kumiko::app {

void Options::add(const std::string& name, const Target& target, const std::string& help,
                  const Rules& rules) {
  const auto declare = [&]<class Value>(Value* value) {
    if constexpr (std::is_same_v<Value, bool>) {
      return command_->add_flag(name, *value, help);
    } else {
      CLI::Option* const option = command_->add_option(name, *value, help);
      return *value == Value() ? option : option->capture_default_str();
    }
  };
  CLI::Option* const option = std::visit(declare, target)->required(rules.is_required);
  if (rules.repeats) option->expected(1)->take_all();
  if (rules.lists) option->delimiter(',')->allow_extra_args(false);
  if (rules.check.fault) option->check(rules.check.fault, rules.check.shown);
}

void Options::set_footer(std::function<std::string()> text) { command_->footer(std::move(text)); }

bool Options::is_given(const std::string& name) const {
  return command_->get_option(name)->count() > 0;
}

namespace {

/// Adds a command to the program, or to the group that its first word names.
CLI::App& add_command(CLI::App& app, const Command& command) {
  const std::string name = command.name;
  const std::size_t space = name.find(' ');
  if (space == std::string::npos) return *app.add_subcommand(name, command.help);
  CLI::App* const group = app.get_subcommand(name.substr(0, space));
  return *group->add_subcommand(name.substr(space + 1), command.help);
}

}  // namespace

int run_command_line(std::span<const Command> commands, int argc, char** argv) {
  CLI::App app{"Patch-based adaptive mesh refinement on lightweight threads", "kumiko"};
  app.set_version_flag("--version", "kumiko " KUMIKO_VERSION);
  app.require_subcommand(1);
  std::vector<std::pair<const CLI::App*, Action>> actions;
  for (const Command& command : commands) {
    CLI::App& own = add_command(app, command);
    if (command.make == nullptr) {
      own.require_subcommand(1);
      continue;
    }
    Options options(own);
    actions.emplace_back(&own, command.make(options));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& shown) {  // help, or the version
    return app.exit(shown);
  } catch (const CLI::ParseError& error) {
    return error_line(refusal_of(app, argc, argv, error), kWrongRequest);
  }
  for (const auto& [own, run] : actions) {
    if (own->parsed()) return run();
  }
  return kWrongRequest;
}

}  // namespace kumiko::app
