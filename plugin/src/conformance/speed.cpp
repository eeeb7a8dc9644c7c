// How fast a solver advances a patch that lies in the cache, beside a known one.
#include <algorithm>
#include <chrono>
#include <limits>

#include "conformance/checks.hpp"
#include "conformance/flows.hpp"
#include "conformance/patch_step.hpp"

namespace kumiko::plugin::conformance {

namespace {

constexpr int kTurns = 15;
constexpr int kStepsPerTurn = 150;

/// A solver with a patch ready to be advanced again and again.
class Runner {
 public:
  explicit Runner(const Subject& subject)
      : step_(subject, Place(subject), smooth_values(subject), subject.run_components()) {
    step_.prepare_for(vortices(), 0.8 * subject.traits.cfl_limit);
    step_.advance();
  }

  void take_turn() {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    for (int step = 0; step < kStepsPerTurn; ++step) step_.advance();
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    best_ = std::min(best_, time.count() / kStepsPerTurn / amr::kPatchPoints);
  }
  /// Nanoseconds a point, all components, in the best turn.
  double best() const { return best_; }

 private:
  PatchStep step_;
  double best_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Finding check_speed(Subject& subject) {
  const amr::ParameterSet defaults = amr::defaults(subject.peer.parameters);
  const Subject peer(subject.peer, defaults, subject.peer);
  Runner mine(subject);
  Runner theirs(peer);
  for (int turn = 0; turn < kTurns; ++turn) {
    mine.take_turn();
    theirs.take_turn();
  }
  const double ratio = mine.best() / theirs.best();
  return noted(
      {{"ns_per_point", mine.best()}, {"peer_ns_per_point", theirs.best()}, {"ratio", ratio}},
      "{:.2f} ns a point, {:.2f} times the {:.2f} ns of {}", mine.best(), ratio, theirs.best(),
      subject.peer.name);
}

}  // namespace kumiko::plugin::conformance
