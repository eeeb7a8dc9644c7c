// The solver under test, and how checks state what they found.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include <kumiko/plugin/conformance.hpp>
#include <kumiko/runtime/fault.hpp>

namespace kumiko::plugin::conformance {

/// One solver under test. Checks read it; the first ones also say what may follow.
struct Subject {
  Subject(const SolverFactory& its_factory, const amr::ParameterSet& its_parameters,
          const SolverFactory& its_peer)
      : factory(its_factory), parameters(its_parameters), peer(its_peer) {}

  bool is_cell_centred() const { return traits.centring == amr::Centring::kCell; }
  /// Whether it moves a passive scalar by the case's flow, component by component.
  bool is_advection() const { return !traits.nonlinear && traits.components <= 1; }
  /// Components of the fields of single patches: two where any number will do.
  int patch_components() const { return traits.components == 0 ? 2 : traits.components; }
  /// Components of the fields of whole runs.
  int run_components() const { return traits.components == 0 ? 1 : traits.components; }
  /// A value of a component that every solver can be given, for s in -1 .. 1. Of several coupled
  /// components the first and the last are positive, as densities and energies must be.
  double value(int component, double s) const;

  const SolverFactory& factory;
  const amr::ParameterSet& parameters;
  const SolverFactory& peer;
  std::unique_ptr<amr::Solver> solver = factory.make(parameters);
  amr::SolverTraits traits = solver->traits();
  std::string unusable = {};    ///< why no other check may call it; empty if they may
  std::string not_finite = {};  ///< the values that are not finite in its results; empty if none
  std::string activity = {};    ///< e.g. "check order of solver 'sharper'", for fault reports
};

/// Names the check that runs on this OS thread in reports of faults.
class CheckNote final : public runtime::FaultNote {
 public:
  /// \param activity  outlives the note
  explicit CheckNote(std::string_view activity) noexcept : activity_(activity) { begin(); }

  std::size_t write(std::span<char> room) const noexcept override {
    return activity_.copy(room.data(), room.size());
  }

 private:
  std::string_view activity_;
};

using Numbers = std::map<std::string, double>;

/// Findings, whose text is formatted with the values; the runner fills the check's name in.
template <class... Values>
Finding passed(Numbers numbers, fmt::format_string<Values...> text, Values&&... values) {
  return {
      {}, Verdict::kPassed, fmt::format(text, std::forward<Values>(values)...), std::move(numbers)};
}
template <class... Values>
Finding failed(Numbers numbers, fmt::format_string<Values...> text, Values&&... values) {
  return {
      {}, Verdict::kFailed, fmt::format(text, std::forward<Values>(values)...), std::move(numbers)};
}
template <class... Values>
Finding noted(Numbers numbers, fmt::format_string<Values...> text, Values&&... values) {
  return {
      {}, Verdict::kNoted, fmt::format(text, std::forward<Values>(values)...), std::move(numbers)};
}
inline Finding skipped(std::string text) { return {{}, Verdict::kSkipped, std::move(text)}; }

/// What is wrong, in parts of a failed finding's text.
using Complaints = std::vector<std::string>;

/// Adds a complaint where something is wrong. The values are evaluated in any case.
template <class... Values>
void complain_if(bool is_wrong, Complaints& complaints, fmt::format_string<Values...> text,
                 Values&&... values) {
  if (is_wrong) complaints.push_back(fmt::format(text, std::forward<Values>(values)...));
}

/// Keeps the larger of two values; NaN counts as infinite.
inline void raise(double& largest, double value) {
  largest = std::isnan(value) ? std::numeric_limits<double>::infinity() : std::max(largest, value);
}

/// A number of -1 .. 1 that depends on its arguments only and looks random.
double noise(int i, int j, int component = 0);

}  // namespace kumiko::plugin::conformance
