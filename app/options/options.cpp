#include "options/options.hpp"

#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <kumiko/cluster/launch.hpp>
#include <kumiko/io/schema.hpp>
#include <kumiko/io/wrapped.hpp>

#include "options/completions.hpp"
#include "options/described_command.hpp"
#include "options/made_with.hpp"
#include "options/man_page.hpp"
#include "options/prefix.hpp"
#include "options/refusal.hpp"
#include "terminal/request.hpp"

namespace kumiko::app {

namespace {

template <class Value>
struct Element {
  using Type = Value;
  static constexpr bool kIsList = false;
};
template <class Value>
struct Element<std::vector<Value>> {
  using Type = Value;
  static constexpr bool kIsList = true;
};

/// An option by its names as the parser takes them: "-s,--set", or one of them.
DescribedOption named(const std::string& names, const std::string& help) {
  const std::size_t comma = names.find(',');
  if (comma == std::string::npos) return {names, help};
  return {.name = names.substr(comma + 1), .help = help, .brief = names.substr(0, comma)};
}

/// An option as the man page and the completions show it.
DescribedOption describe(const std::string& name, const Target& target, const std::string& help,
                         const Rules& rules) {
  DescribedOption option = named(name, help);
  option.choices = rules.check.choices;
  option.limits = option.choices.empty() ? rules.check.shown : listed(option.choices);
  option.is_required = rules.is_required;
  std::visit(
      [&]<class Value>(const Value*) {
        using Type = typename Element<Value>::Type;
        option.repeats = Element<Value>::kIsList && !rules.lists;
        if constexpr (std::is_same_v<Type, std::filesystem::path>) {
          option.value = "PATH";
        } else if constexpr (!std::is_same_v<Type, bool>) {
          option.value = std::is_arithmetic_v<Type> ? "NUMBER" : "TEXT";
        }
        if (rules.lists) option.value += ",...";
      },
      target);
  return option;
}

/// A text of the help's right column, whose lines end before column 100.
std::string in_lines(const std::string& text) {
  constexpr std::size_t kWidth = 70;
  return io::wrapped(text, kWidth);
}

constexpr const char* kHelpKeys = "--help-keys";

/// Ends the parsing: a text is to be shown.
class Shown : public CLI::Success {
 public:
  explicit Shown(std::string text)
      : CLI::Success("Shown", std::move(text), CLI::ExitCodes::Success) {}
};

}  // namespace

void Options::add(const std::string& name, const Target& target, const std::string& help,
                  const Rules& rules) {
  described_->options.push_back(describe(name, target, help, rules));
  const std::string lines = in_lines(rules.repeats ? help + "; may be repeated" : help);
  const auto declare = [&]<class Value>(Value* value) {
    if constexpr (std::is_same_v<Value, bool>) {
      return command_->add_flag(name, *value, lines);
    } else {
      CLI::Option* const option = command_->add_option(name, *value, lines);
      return *value == Value() ? option : option->capture_default_str();
    }
  };
  CLI::Option* const option = std::visit(declare, target)->required(rules.is_required);
  if (rules.repeats) option->expected(1)->take_all();
  if (rules.lists) option->delimiter(',')->allow_extra_args(false);
  if (rules.check.fault) option->check(rules.check.fault, rules.check.shown);
}

void Options::add_help_keys(std::function<std::string(const std::string& table)> text) {
  const std::string help =
      "list the keys of CASE.toml and --set and exit, or with a table, as in --help-keys amr, its "
      "keys";
  described_->options.push_back({.name = kHelpKeys, .help = help});
  const auto show = [text = std::move(text)](const CLI::results_t& words) -> bool {
    // The parser's value of an option that stands alone.
    throw Shown(text(words.front() == "true" ? "" : words.front()));
  };
  command_->add_option(kHelpKeys, show, in_lines(help))
      ->type_name("[TABLE]")
      ->expected(0, 1)
      ->trigger_on_parse();
}

bool Options::is_given(const std::string& name) const {
  return command_->get_option(name)->count() > 0;
}

namespace {

/// Adds a command to the program, or to the group that its first word names.
CLI::App& add_command(CLI::App& app, const Command& command) {
  const std::string name = command.name;
  const std::size_t space = name.find(' ');
  CLI::App* const group = space == name.npos ? &app : app.get_subcommand(name.substr(0, space));
  CLI::App& own = *group->add_subcommand(space == name.npos ? name : name.substr(space + 1),
                                         in_lines(command.help));
  if (command.make != nullptr) own.footer(fmt::format("Example:\n  {}", command.example));
  return own;
}

/// The command line from its end to its beginning, as the parser takes it. A table stands with
/// kHelpKeys in one word: else the parser takes it for a required argument.
std::vector<std::string> words_of(int argc, const char* const* argv) {
  std::vector<std::string> words;
  for (int at = 1; at < argc; ++at) {
    const bool is_table = !words.empty() && words.back() == kHelpKeys && argv[at][0] != '-';
    refuse_if(is_table && argv[at][0] == '\0',
              "{}: '' is not the name of a table; leave it out to see all keys", kHelpKeys);
    if (is_table) {
      words.back() += std::string("=") + argv[at];
    } else {
      words.emplace_back(argv[at]);
    }
  }
  std::ranges::reverse(words);
  return words;
}

constexpr const char* kHelpOfHelp = "print the options";

/// Adds an option of the program itself that prints a text and ends. `make` gets its value, one of
/// the choices; without choices the option has no value.
void add_text(CLI::App& app, DescribedCommand& program, DescribedOption option,
              const std::function<std::string(const std::string&)>& make) {
  const auto show = [make](const std::string& value) {
    throw CLI::CallForVersion(make(value), kDone);
  };
  if (option.choices.empty()) {
    const auto show_it = [show] { show({}); };
    app.add_flag_callback(option.name, show_it, option.help);
  } else {
    const ValueCheck check = one_of(option.choices);
    app.add_option_function<std::string>(option.name, show, option.help)
        ->check(check.fault, check.shown);
  }
  program.options.push_back(std::move(option));
}

/// Adds the options of the program itself, which is the first of the commands.
void add_texts(CLI::App& app, std::vector<DescribedCommand>& commands) {
  DescribedCommand& program = commands.front();
  add_text(app, program, {"--version", "print the version, and the parts that it was built with"},
           [](const auto&) { return fmt::format("kumiko {}\n{}", KUMIKO_VERSION, kMadeWith); });
  add_text(app, program, {"--prefix", "print the folder that it is installed in, or was built in"},
           [](const auto&) { return prefix().string(); });
  add_text(app, program, {"--man", "print the man page"}, [&commands](const auto&) {
    std::string keys;
    const io::Schema core;
    for (const io::Key& key : core.keys()) keys += io::describe_key(key);
    return man_page(commands, keys);
  });
  const DescribedOption completion = {"--completion", "print the completions for a shell", "SHELL",
                                      listed(shells()), shells()};
  add_text(app, program, completion,
           [&commands](const auto& shell) { return completions(shell, commands); });
}

}  // namespace

int run_command_line(std::span<const Command> commands, int argc, char** argv) {
  CLI::App app{"Patch-based adaptive mesh refinement on lightweight threads", "kumiko"};
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", kHelpOfHelp);
  std::vector<DescribedCommand> described = {{"", app.get_description()}};
  described.reserve(1 + commands.size());  // options point into it
  add_texts(app, described);
  struct Parsed {
    const CLI::App* app;
    Action run;
    bool takes_ranks;
  };
  std::vector<Parsed> actions;
  for (const Command& command : commands) {
    CLI::App& own = add_command(app, command);
    described.push_back({command.name, command.help, {}, command.make == nullptr});
    if (command.make == nullptr) {
      own.require_subcommand(1);
      continue;
    }
    Options options(own, described.back());
    actions.push_back({&own, command.make(options), command.takes_ranks});
  }
  for (DescribedCommand& each : described) each.options.push_back({"--help", kHelpOfHelp});
  const std::string swallowed = missing_value(app, argc, argv);
  refuse_if(!swallowed.empty(), "{}", swallowed);
  try {
    app.parse(words_of(argc, argv));
  } catch (const Shown& shown) {
    fmt::print("{}", shown.what());
    return kDone;
  } catch (const CLI::Success& shown) {  // help, or the version
    const std::string typo = misspelling(app, argc, argv);
    refuse_if(!typo.empty(), "{}", typo);
    const int code = app.exit(shown);
    if (!std::cout.flush()) throw std::runtime_error(kStdoutFault);
    return code;
  } catch (const CLI::ParseError& error) {
    throw RequestError(refusal_of(app, argc, argv, error));
  }
  for (const Parsed& command : actions) {
    if (!command.app->parsed()) continue;
    refuse_if(!command.takes_ranks && cluster::ranks_of_environment() > 1,
              "only 'kumiko run' computes on several ranks; start '{}' without a launcher",
              full_name(*command.app));
    return command.run();
  }
  return kWrongRequest;
}

}  // namespace kumiko::app
