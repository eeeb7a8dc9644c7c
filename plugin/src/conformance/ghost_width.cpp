// How many ghost layers a solver reads, against what it declares.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "conformance/checks.hpp"
#include "conformance/flows.hpp"
#include "conformance/patch_step.hpp"

namespace kumiko::plugin::conformance {

namespace {

/// The first finds all reads but those that a test for NaN masks, the others those.
constexpr double kPoisons[] = {std::numeric_limits<double>::quiet_NaN(), 1e300, -1e300};

/// The outermost layer whose values change a bit of what the solver computes; nothing when its bits
/// change by themselves.
std::optional<int> layers_read(const Subject& subject, const Place& place, const Flow& flow) {
  PatchStep step(subject, place, rough_values(subject));
  step.prepare_for(flow, subject.traits.cfl_limit);
  const std::vector<double> expected = step.outputs();
  if (!same_bits(step.outputs(), expected)) return std::nullopt;
  for (int layer = step.layers(); layer > 0; --layer) {
    for (const double poison : kPoisons) {
      step.poison(layer, poison);
      if (!same_bits(step.outputs(), expected)) return layer;
    }
  }
  return 0;
}

}  // namespace

Finding check_ghost_width(Subject& subject) {
  const Place place(subject);
  int read = 0;
  std::string where;
  for (const Flow& flow : flows_around(place.centre_x(), place.centre_y())) {
    const std::optional<int> layers = layers_read(subject, place, flow);
    if (!layers) return skipped("the same step has other bits each time: see determinism");
    if (*layers > read) where = flow.name;
    read = std::max(read, *layers);
  }
  const int declared = subject.traits.ghosts;
  const Numbers numbers = {{"declared", declared}, {"read", read}};
  if (read > declared) {
    return failed(numbers,
                  "values of ghost layer {} change the result ({}), but only {} declared; declare "
                  "ghosts = {}, or read less",
                  read, where, declared == 1 ? "1 is" : fmt::format("{} are", declared), read);
  }
  if (read < declared) {
    return noted(numbers, "of {} declared ghost layers {} the result; fewer are cheaper", declared,
                 read == 1 ? "one changes" : fmt::format("{} change", read));
  }
  return passed(
      numbers, "{} read, as declared, and none beyond",
      declared == 1 ? "one ghost layer is" : fmt::format("{} ghost layers are", declared));
}

}  // namespace kumiko::plugin::conformance
