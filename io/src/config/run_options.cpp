#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include <kumiko/io/run_options.hpp>

namespace kumiko::io {

namespace {

using amr::Determines;
using amr::field;
using amr::kMostCount;
using amr::ParameterValue;

/// A number with a unit.
using Amount = std::pair<double, std::string_view>;

constexpr Amount kUnits[] = {{1.0, "s"}, {60.0, "min"}, {3600.0, "h"}, {86400.0, "d"}};

std::optional<Amount> amount_of(std::string_view text) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return Amount{number, text};
}

/// Seconds of "90 s", "10 min", "1.5 h" or "2 d"; nothing when the text is not such a thing or not
/// above 0.
std::optional<double> parse_duration(std::string_view text) {
  const std::optional<Amount> amount = amount_of(text);
  if (!amount || amount->first <= 0.0) return std::nullopt;
  for (const auto& [seconds, unit] : kUnits) {
    if (amount->second == unit) return amount->first * seconds;
  }
  return std::nullopt;
}

/// Of "100", "100 steps" or a duration; "0" is never. Nothing when the text is none of these.
std::optional<Interval> parse_interval(std::string_view text) {
  constexpr double kMostSteps = 1e9;
  if (const std::optional<double> seconds = parse_duration(text)) return Interval{0, *seconds};
  const std::optional<Amount> amount = amount_of(text);
  if (!amount || (!amount->second.empty() && amount->second != "steps")) return std::nullopt;
  const double steps = amount->first;
  if (steps < 0.0 || steps > kMostSteps || steps != std::floor(steps)) return std::nullopt;
  return Interval{static_cast<int>(steps), 0.0};
}

std::optional<double> parse_limit(std::string_view text) {
  return text == "0" ? 0.0 : parse_duration(text);
}

/// Text such as "10 min", at first none, "0"; a number alone may do without quotes.
template <auto Member, auto Parse>
amr::OptionField<RunOptions> amount(std::string name, const char* wanted, Determines determines,
                                    std::string help) {
  amr::OptionField<RunOptions> made;
  made.set = [wanted](RunOptions& options, const ParameterValue& value) {
    const auto read_as = Parse(std::get<std::string>(value));
    if (!read_as) throw std::invalid_argument(wanted);
    options.*Member = *read_as;
  };
  made.spec = {std::move(name), std::string("0"), std::move(help)};
  made.integer_serves = true;
  made.determines = determines;
  return made;
}

std::vector<amr::OptionField<RunOptions>> described_options() {
  using R = RunOptions;
  using enum Determines;
  return {
      required(field<&R::case_name>("case.name", {}, kState, "the case to compute")),
      field<&R::solver_name>("solver.name", {}, kState, "the solver that advances the patches"),
      field<&R::stop_step>("time.stop_step", {0, kMostCount}, kRun,
                           "base step to end at, up to `steps`; 0 = the last"),
      amount<&R::wall_limit_s, parse_limit>(
          "time.wall_limit",
          "it must be a time such as \"30 min\" or \"2 h\" (s, min, h, d), or 0 for none", kRun,
          "time after which the run writes a checkpoint and ends, such as "
          "\"2 h\"; 0 = none"),
      field<&R::workers>("runtime.workers", {0, 4096}, kRun,
                         "OS threads that work; 0 = all available"),
      field<&R::idle>("runtime.idle", {}, kRun,
                      "what workers of backend 'threads' do while they have no work"),
      amount<&R::checkpoints, parse_interval>(
          "checkpoint.every",
          "it must be a number of base steps or a time such as \"10 min\" (s, min, h, d)", kRun,
          "base steps between checkpoints, or time such as \"10 min\" (s, min, "
          "h, d); 0 = none, but at signals and before the time limit"),
      field<&R::checkpoint_interval>("checkpoint.interval", {.least = 0.0}, kRun,
                                     "time of the case between checkpoints; 0 = by "
                                     "checkpoint.every alone"),
      field<&R::checkpoints_kept>("checkpoint.keep", {1, kMostCount}, kRun,
                                  "newest checkpoints that stay; older ones are removed"),
      field<&R::on_failure>("checkpoint.on_failure", {}, kRun,
                            "what to do when a checkpoint cannot be written"),
      field<&R::output_every>("output.every", {0, kMostCount}, kRun,
                              "base steps between files of the state; the final state has one in "
                              "any case"),
      field<&R::output_interval>("output.interval", {.least = 0.0}, kRun,
                                 "time of the case between files of the state, each of the base "
                                 "step that is nearest; 0 = none"),
      field<&R::output_times>("output.times", {.least = 0.0}, kRun,
                              "times of the case of which there is a file of the state, of the "
                              "base step that is nearest; 0 = the initial state"),
      field<&R::output_exact>("output.exact", {}, kCourse,
                              "whether base steps end at the times of output.interval and "
                              "output.times, so that files have these times to the bit; with "
                              "time.cfl"),
      field<&R::output_extras>("output.extras", {}, kRun,
                               "whether files of the state also show level, worker, cost and "
                               "indicator; five times the size"),
      field<&R::compression>("output.compression", {}, kRun,
                             "how files of the state and checkpoints store their records; deflate "
                             "is smaller and slower"),
      field<&R::diagnostics_every>("diagnostics.every", {0, kMostCount}, kRun,
                                   "base steps between rows of diagnostics.csv; 0 = by "
                                   "diagnostics.interval alone, which makes it the default"),
      field<&R::diagnostics_interval>("diagnostics.interval", {.least = 0.0}, kRun,
                                      "time of the case between rows of diagnostics.csv; 0 = by "
                                      "diagnostics.every alone"),
      field<&R::trace_from>("trace.from", {-1, kMostCount}, kRun,
                            "base step from which trace.hdf records the workers; -1 = no trace"),
      field<&R::trace_steps>("trace.steps", {1, kMostCount}, kRun,
                             "base steps that trace.hdf records; fewer when it would take more "
                             "than 2 GB"),
  };
}

}  // namespace

}  // namespace kumiko::io

namespace kumiko::amr {

template <>
const std::vector<OptionField<io::RunOptions>>& fields<io::RunOptions>() {
  static const std::vector<OptionField<io::RunOptions>> list = io::described_options();
  return list;
}

}  // namespace kumiko::amr
