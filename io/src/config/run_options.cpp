#include <optional>
#include <stdexcept>

#include <kumiko/io/run_options.hpp>

namespace kumiko::io {

namespace {

using amr::Determines;
using amr::field;
using amr::kMostCount;
using amr::ParameterValue;

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
          "time.wall_limit", "it must be a time such as \"30 min\" or \"2 h\", or 0 for none", kRun,
          "time after which the run writes a checkpoint and ends, such as "
          "\"2 h\"; 0 = none"),
      field<&R::workers>("runtime.workers", {0, 4096}, kRun,
                         "OS threads that work; 0 = all available"),
      field<&R::idle>("runtime.idle", {}, kRun,
                      "what workers of backend 'threads' do that find no work"),
      amount<&R::checkpoints, parse_interval>(
          "checkpoint.every", "it must be a number of base steps or a time such as \"10 min\"",
          kRun,
          "base steps between checkpoints, or time such as \"10 min\" (s, min, "
          "h, d); 0 = none, but at signals and before the time limit"),
      field<&R::checkpoints_kept>("checkpoint.keep", {1, kMostCount}, kRun,
                                  "newest checkpoints that stay; older ones are removed"),
      field<&R::on_failure>("checkpoint.on_failure", {}, kRun,
                            "what a run does whose checkpoint cannot be written"),
      field<&R::output_every>("output.every", {0, kMostCount}, kRun,
                              "base steps between files of the state; 0 = the final state only"),
      field<&R::output_figures>("output.figures", {}, kRun,
                                "whether files of the state also show level, worker, cost and "
                                "indicator; five times the size"),
      field<&R::compression>("output.compression", {}, kRun,
                             "how files of the state and checkpoints store their records; deflate "
                             "is smaller and slower"),
      field<&R::diagnostics_every>("diagnostics.every", {1, kMostCount}, kRun,
                                   "base steps between rows of diagnostics.csv"),
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
