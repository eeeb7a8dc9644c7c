#include "options/man_page.hpp"

#include <array>

#include <fmt/format.h>

namespace kumiko::app {

namespace {

/// A text that roff prints as it is.
std::string roff(std::string_view text) {
  constexpr std::string_view kSpecial = "\\-'`^~";
  constexpr std::array kNames = {"\\e", "\\-", "\\(aq", "\\(ga", "\\(ha", "\\(ti"};
  std::string result;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && c == '.') result += "\\&";  // else a request
    const std::size_t special = kSpecial.find(c);
    if (special == kSpecial.npos) {
      result += c;
    } else {
      result += kNames[special];
    }
    begins_line = c == '\n';
  }
  return result;
}

/// "CASE.toml [OPTION...]"
std::string usage(const std::vector<DescribedOption>& options) {
  std::string text;
  for (const DescribedOption& option : options) {
    if (!option.is_argument()) continue;
    const std::string name =
        fmt::format("\\fI{}\\fR{}", roff(option.name), option.repeats ? "..." : "");
    text += option.is_required ? ' ' + name : fmt::format(" [{}]", name);
  }
  return text + " [\\fIOPTION\\fR...]";
}

std::string roff_of(const DescribedOption& option) {
  const char* const font = option.is_argument() ? "\\fI" : "\\fB";
  std::string text = ".TP\n";
  if (!option.brief.empty()) text += fmt::format("{}{}\\fR, ", font, roff(option.brief));
  text += fmt::format("{}{}\\fR", font, roff(option.name));
  if (!option.is_argument() && !option.value.empty()) {
    text += fmt::format(" \\fI{}\\fR", roff(option.value));
  }
  text += '\n' + roff(option.help);
  if (!option.limits.empty()) text += roff("; " + option.limits);
  return text + '\n';
}

std::string roff_of(const std::vector<DescribedOption>& options) {
  std::string text;
  for (const DescribedOption& option : options) text += roff_of(option);
  return text;
}

constexpr const char* kEnd = R"(.SH EXIT STATUS
.TP
0
done
.TP
1
the run failed, a signal or a limit ended it after its first base step, or a check found a fault
.TP
2
the request was wrong, and nothing was written
.SH FILES
Below the folder that \fBkumiko \-\-prefix\fR prints:
.TP
share/kumiko/cases
configurations to run and to change
.TP
share/doc/kumiko/docs/README.md
the index of the guide and the reference
)";

}  // namespace

std::string man_page(std::span<const DescribedCommand> commands, std::string_view keys) {
  const DescribedCommand& program = commands.front();
  std::string text = fmt::format(
      ".TH KUMIKO 1 \"\" \"kumiko {}\" \"User Commands\"\n.SH NAME\nkumiko \\- {}\n"
      ".SH SYNOPSIS\n\\fBkumiko\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n",
      KUMIKO_VERSION, roff(program.help));
  text += ".SH OPTIONS\n" + roff_of(program.options) + ".SH COMMANDS\n";
  for (const DescribedCommand& command : commands.subspan(1)) {
    if (command.is_group) continue;
    text += fmt::format(".SS \\fBkumiko {}\\fR{}\n{}\n{}", roff(command.name),
                        usage(command.options), roff(command.help), roff_of(command.options));
  }
  return text + fmt::format(".SH CONFIGURATION\n.nf\n{}.fi\n", roff(keys)) + kEnd;
}

}  // namespace kumiko::app
