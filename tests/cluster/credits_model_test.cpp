// The rule of the credits, in all orders: calls that invoke back end, and a rank holds a bounded
// number of functions for others.
#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace kumiko::cluster {
namespace {

/// Two ranks, between which calls go back and forth. A call of depth d invokes one of depth d + 1
/// at the rank that it came from, waits for it, and answers.
struct Rules {
  int calls = 2;   ///< of depth 0 on each rank
  int depths = 3;  ///< that there are
  int window = 1;  ///< credits of a rank at the other one, for each depth or for all
  bool by_depth = true;
};

/// Where the deepest call of a chain is.
enum class Step : signed char {
  kWantsCredit,  ///< its caller waits for a credit
  kRequested,    ///< the request is on its way
  kRuns,         ///< at the other rank
  kAnswered,     ///< the answer is on its way
  kEnded
};

/// One chain: the call of depth 0 began on `rank`; those of depths below `depth` wait.
struct Chain {
  signed char rank;
  signed char depth = 0;
  Step step = Step::kWantsCredit;

  friend auto operator<=>(const Chain&, const Chain&) = default;

  /// Who makes the deepest call.
  int caller() const noexcept { return (rank + depth) % 2; }
};
using State = std::vector<Chain>;

/// Goes through all states that can be reached.
class Explorer {
 public:
  explicit Explorer(Rules rules) : rules_(rules) {
    State begin;
    for (signed char rank = 0; rank < 2; ++rank) {
      for (int call = 0; call < rules.calls; ++call) begin.push_back({rank});
    }
    visit(begin);
  }

  bool has_deadlock() const noexcept { return has_deadlock_; }
  int most_incoming() const noexcept { return most_incoming_; }
  std::size_t states() const noexcept { return seen_.size(); }

 private:
  void visit(State state) {
    // Chains of one rank are alike.
    std::sort(state.begin(), state.end());
    if (!seen_.insert(state).second) return;
    for (int rank = 0; rank < 2; ++rank)
      most_incoming_ = std::max(most_incoming_, incoming(state, rank));
    bool moved = false;
    for (std::size_t i = 0; i < state.size(); ++i) {
      State next = state;
      if (!advance(next, next[i])) continue;
      moved = true;
      visit(next);
    }
    const bool ended = std::all_of(state.begin(), state.end(),
                                   [](const Chain& chain) { return chain.step == Step::kEnded; });
    has_deadlock_ = has_deadlock_ || (!moved && !ended);
  }

  bool advance(const State& state, Chain& chain) const {
    switch (chain.step) {
      case Step::kWantsCredit:
        if (used(state, chain.caller(), chain.depth) >= rules_.window) return false;
        chain.step = Step::kRequested;
        return true;
      case Step::kRequested:
        chain.step = Step::kRuns;
        return true;
      case Step::kRuns:
        if (chain.depth + 1 < rules_.depths) {
          ++chain.depth;
          chain.step = Step::kWantsCredit;
        } else {
          chain.step = Step::kAnswered;
        }
        return true;
      case Step::kAnswered:
        // The credit returns. The call above has its value, and answers in turn.
        if (chain.depth == 0) {
          chain.step = Step::kEnded;
        } else {
          --chain.depth;
        }
        return true;
      case Step::kEnded:
        return false;
    }
    return false;
  }

  /// The credits of `rank` for this depth that are out.
  int used(const State& state, int rank, int depth) const {
    int count = 0;
    for (const Chain& chain : state) {
      if (chain.step == Step::kEnded) continue;
      for (int d = 0; d <= chain.depth; ++d) {
        const bool has_credit = d < chain.depth || chain.step != Step::kWantsCredit;
        const bool is_callers = (chain.rank + d) % 2 == rank;
        if (has_credit && is_callers && (!rules_.by_depth || d == depth)) ++count;
      }
    }
    return count;
  }

  /// The functions that are on `rank` for the other one, or on their way there.
  int incoming(const State& state, int rank) const {
    int count = 0;
    for (int depth = 0; depth < rules_.depths; ++depth) {
      Rules by_depth = rules_;
      by_depth.by_depth = true;
      count += Explorer(by_depth, 0).used(state, 1 - rank, depth);
    }
    return count;
  }

  Explorer(Rules rules, int /*looks at nothing*/) : rules_(rules) {}

  const Rules rules_;
  std::set<State> seen_;
  bool has_deadlock_ = false;
  int most_incoming_ = 0;
};

TEST(CreditsModelTest, GivenCreditsByDepthThenAllCallsEndInAnyOrder) {
  for (const int window : {1, 2}) {
    const Explorer all({.calls = 3, .depths = 4, .window = window});
    EXPECT_GT(all.states(), 100U);
    EXPECT_FALSE(all.has_deadlock()) << window;
    EXPECT_LE(all.most_incoming(), 4 * window) << window;
  }
}

TEST(CreditsModelTest, GivenOnePoolOfCreditsForAllDepthsThenThereIsADeadlock) {
  EXPECT_TRUE(Explorer({.calls = 2, .depths = 3, .window = 1, .by_depth = false}).has_deadlock());
  EXPECT_TRUE(Explorer({.calls = 3, .depths = 3, .window = 2, .by_depth = false}).has_deadlock());
}

TEST(CreditsModelTest, GivenAPoolForAllThatThereCanBeThenThereIsNone) {
  EXPECT_FALSE(Explorer({.calls = 1, .depths = 2, .window = 2, .by_depth = false}).has_deadlock());
}

}  // namespace
}  // namespace kumiko::cluster
