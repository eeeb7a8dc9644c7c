// Model of the exchange of parts. It tries all orders in which some processes do, divide, ask for
// and give away a search of a few units, while messages come in any order, are lost or come twice,
// and a process ends. The model steps the real ExchangeState.
//
// - Each part's result is what its giver expects: nothing is counted twice or left out.
// - From any state, the whole search ends if no more messages are lost and no more processes end:
//   there is no state in which all processes wait.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "exchange_case.hpp"

namespace kumiko::search::detail::model {
namespace {

using Says = ExchangeMessage::Says;

/// The size of a model, and the number of faults in it.
struct Budget {
  int processes = 2;
  std::uint32_t units = 3;
  int asks = 2;  ///< of each process, to anyone
  int lost = 0;
  int doubled = 0;
  int deaths = 0;
};

/// A part that a process works on.
struct Run {
  std::uint64_t number;
  std::uint32_t units;  ///< in all
  std::uint32_t left;
  std::uint32_t counted = 0;
  std::uint32_t given = 0;  ///< parts that are out
  bool is_wanted = true;
};

struct Process {
  ExchangeState exchange;
  std::vector<Run> runs;
  int asks = 0;
  int quiet_asks = 0;
  bool is_alive = true;
};

struct Flying {
  std::uint16_t from;
  std::uint16_t to;
  ExchangeMessage message;
};

/// The number of asks of a process for its own parts that repair the latest fault. The count begins
/// again after each loss and whenever a part begins or its result comes. Before that, a process may
/// have asked in vain, if it waited for a process that had to ask first.
constexpr int kQuietAsks = 4;

struct State {
  std::vector<Process> processes;
  std::vector<Flying> network;
  Budget left;
  bool is_done = false;

  std::string described() const;
};

std::string State::described() const {
  std::vector<std::uint32_t> out;
  const auto number = [&](auto value) { out.push_back(static_cast<std::uint32_t>(value)); };
  for (const Process& process : processes) {
    process.exchange.describe(out);
    number(process.runs.size());
    for (const Run& run : process.runs) {
      number(run.number);
      number(run.left);
      number(run.counted);
      number(run.given);
      number(run.is_wanted);
    }
    number(process.asks);
    number(process.quiet_asks);
    number(process.is_alive);
  }
  std::vector<std::vector<std::uint32_t>> flying;
  for (const Flying& each : network) {
    const PartName part = each.message.part.value_or(PartName{99, 99});
    flying.push_back({each.from, each.to, static_cast<std::uint32_t>(each.message.kind),
                      each.message.ask, part.slot, part.generation,
                      static_cast<std::uint32_t>(each.message.task.type)});
  }
  std::sort(flying.begin(), flying.end());
  for (const auto& each : flying) out.insert(out.end(), each.begin(), each.end());
  number(left.lost);
  number(left.doubled);
  number(left.deaths);
  return {reinterpret_cast<const char*>(out.data()), out.size() * sizeof(std::uint32_t)};
}

std::uint64_t run_of(const std::shared_ptr<Delivery>& owner) {
  return reinterpret_cast<std::uint64_t>(owner.get()) - 1;
}

class Model {
 public:
  explicit Model(const Budget& budget) : budget_(budget) {}

  /// Returns the number of states. Fails if one is wrong.
  std::size_t explore() {
    State begin;
    begin.left = budget_;
    begin.processes.resize(static_cast<std::size_t>(budget_.processes));
    begin.processes.front().runs.push_back({kRoot, budget_.units, budget_.units});
    pending_.push_back(std::move(begin));
    while (!pending_.empty() && !testing::Test::HasFailure()) {
      const State state = std::move(pending_.back());
      pending_.pop_back();
      if (!seen_.insert(state.described()).second) continue;
      step(state);
    }
    return seen_.size();
  }

 private:
  /// Appends all states that may follow to the pending ones.
  void step(const State& state) {
    if (state.is_done) return;
    moves_ = 0;
    for (std::size_t p = 0; p < state.processes.size(); ++p) {
      if (!state.processes[p].is_alive) continue;
      work(state, p);
      ask(state, p);
    }
    const std::size_t moves = moves_;
    carry(state);
    EXPECT_GT(moves_, 0U) << "all wait";
    if (moves == 0 && state.network.empty()) return;
    if (state.left.deaths == 0) return;
    for (std::size_t p = 1; p < state.processes.size(); ++p) {
      if (state.processes[p].is_alive) die(state, p);
    }
  }

  void work(const State& state, std::size_t p) {
    const Process& process = state.processes[p];
    for (std::size_t r = 0; r < process.runs.size(); ++r) {
      const Run& run = process.runs[r];
      if (run.left > 0) {
        next(state, p, [&](Process& here, auto&) {
          --here.runs[r].left;
          ++here.runs[r].counted;
        });
      } else if (run.given == 0) {
        end(state, p, r);
      }
      if (run.left > 1 && process.exchange.has_open_asks()) {
        next(state, p, [&](Process& here, ExchangeEffects& effects) {
          Run& divided = here.runs[r];
          ASSERT_TRUE(here.exchange.claim());
          const std::uint32_t half = divided.left / 2;
          divided.left -= half;
          ++divided.given;
          here.exchange.give({.type = half}, delivery_of(divided.number), effects);
        });
      }
    }
    // Asks are refused or passed on after a while.
    if (process.exchange.has_open_asks()) {
      next(state, p,
           [](Process& here, ExchangeEffects& effects) { here.exchange.decline_all(effects); });
    }
  }

  void end(const State& state, std::size_t p, std::size_t r) {
    next(state, p, [&](Process& here, ExchangeEffects& effects) {
      const Run run = here.runs[r];
      here.runs.erase(here.runs.begin() + static_cast<std::ptrdiff_t>(r));
      EXPECT_TRUE(run.counted == run.units || !run.is_wanted);
      if (run.number == kRoot && p == 0) {
        is_done_ = true;
      } else {
        here.exchange.end(run.number, Outcome::kDone, bytes_with(run.counted), effects);
      }
    });
  }

  void ask(const State& state, std::size_t p) {
    const Process& process = state.processes[p];
    const bool is_busy = std::any_of(process.runs.begin(), process.runs.end(),
                                     [](const Run& run) { return run.left > 0 || run.given == 0; });
    if (is_busy) return;
    if (process.exchange.is_asking()) {
      // No message is on its way, and no process has the ask, so it is taken for lost.
      const bool is_asked = std::any_of(
          state.processes.begin(), state.processes.end(),
          [](const Process& other) { return other.is_alive && other.exchange.has_open_asks(); });
      if (!state.network.empty() || is_asked) return;
      next(state, p, [](Process& here, auto&) { here.exchange.give_up_ask(); });
      return;
    }
    const auto begin = [](Process& here, ExchangeEffects& effects) {
      if (here.exchange.take_back(effects)) return true;
      here.exchange.decline_all(effects);
      return false;
    };
    ExchangeEffects unused;
    if (ExchangeState(process.exchange).take_back(unused)) {
      return next(state, p, [&](Process& here, ExchangeEffects& effects) {
        EXPECT_TRUE(begin(here, effects));
      });
    }
    // A process that has asked this often asks again only if nothing else happens.
    const bool is_quiet =
        state.network.empty() &&
        std::none_of(state.processes.begin(), state.processes.end(), [](const Process& other) {
          return std::any_of(other.runs.begin(), other.runs.end(),
                             [](const Run& run) { return run.left > 0 || run.given == 0; });
        });
    if (process.asks < budget_.asks || (is_quiet && process.quiet_asks < kQuietAsks)) {
      next(state, p, [&](Process& here, ExchangeEffects& effects) {
        begin(here, effects);
        if (const auto holder = here.exchange.holder({}); holder) {
          ++(here.asks < budget_.asks ? here.asks : here.quiet_asks);
          here.exchange.ask(holder->first, holder->second, effects);
        } else {
          skip_ = true;
        }
      });
    }
    if (process.asks == budget_.asks) return;
    for (std::size_t other = 0; other < state.processes.size(); ++other) {
      if (other == p || !state.processes[other].is_alive) continue;
      next(state, p, [&](Process& here, ExchangeEffects& effects) {
        begin(here, effects);
        ++here.asks;
        here.exchange.ask({static_cast<std::uint16_t>(other)}, std::nullopt, effects);
      });
    }
  }

  void carry(const State& state) {
    for (std::size_t i = 0; i < state.network.size(); ++i) {
      deliver(state, i, true);
      if (state.left.doubled > 0) deliver(state, i, false);
      if (state.left.lost > 0) {
        State after = state;
        after.network.erase(after.network.begin() + static_cast<std::ptrdiff_t>(i));
        --after.left.lost;
        renew_quiet_asks(after);
        pending_.push_back(std::move(after));
      }
    }
  }

  void deliver(const State& state, std::size_t i, bool is_last) {
    State after = state;
    const Flying flying = after.network[i];
    if (is_last) {
      after.network.erase(after.network.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      --after.left.doubled;
    }
    next(after, flying.to, [&](Process& here, ExchangeEffects& effects) {
      const bool can_give = std::any_of(here.runs.begin(), here.runs.end(),
                                        [](const Run& run) { return run.left > 0; });
      here.exchange.receive({flying.from}, flying.message, can_give, std::nullopt, effects);
    });
  }

  void die(const State& state, std::size_t dead) {
    State after = state;
    --after.left.deaths;
    after.processes[dead].is_alive = false;
    after.processes[dead].runs.clear();
    std::erase_if(after.network,
                  [&](const Flying& each) { return each.from == dead || each.to == dead; });
    for (std::size_t p = 0; p < after.processes.size(); ++p) {
      if (!after.processes[p].is_alive) continue;
      ExchangeEffects effects;
      after.processes[p].exchange.lost({static_cast<std::uint16_t>(dead)}, effects);
      apply(after, p, effects);
    }
    pending_.push_back(std::move(after));
  }

  template <class Change>
  void next(const State& state, std::size_t p, Change change) {
    State after = state;
    ExchangeEffects effects;
    skip_ = false;
    is_done_ = false;
    change(after.processes[p], effects);
    if (skip_) return;
    ++moves_;
    after.is_done = is_done_;
    apply(after, p, effects);
    pending_.push_back(std::move(after));
  }

  static void renew_quiet_asks(State& state) {
    for (Process& process : state.processes) process.quiet_asks = 0;
  }

  void apply(State& state, std::size_t p, const ExchangeEffects& effects) {
    Process& here = state.processes[p];
    if (!effects.starts.empty() || !effects.finishes.empty()) renew_quiet_asks(state);
    for (const auto& send : effects.sends) {
      const std::uint16_t to = send.to.front();
      if (!state.processes[to].is_alive) continue;
      state.network.push_back({static_cast<std::uint16_t>(p), to, send.message});
    }
    for (const auto& start : effects.starts) {
      const auto units = static_cast<std::uint32_t>(start.task.type);
      here.runs.push_back({start.run, units, units});
    }
    for (const auto& finish : effects.finishes) {
      const auto owner = std::find_if(here.runs.begin(), here.runs.end(), [&](const Run& run) {
        return run.number == run_of(finish.delivery);
      });
      ASSERT_NE(owner, here.runs.end()) << "a result for a part that has ended";
      ASSERT_GT(owner->given, 0U);
      --owner->given;
      if (finish.outcome == Outcome::kNotBegun) continue;
      std::uint32_t count = 0;
      std::memcpy(&count, finish.bytes->data(), sizeof count);
      owner->counted += count;
    }
    // A run whose giver is lost skips all work that has not begun.
    for (const std::uint64_t stopped : effects.stops) {
      for (Run& run : here.runs) {
        if (run.number != stopped) continue;
        run.left = 0;
        run.is_wanted = false;
        ExchangeEffects stops;
        here.exchange.stop(
            [&](const std::shared_ptr<Delivery>& owner) { return run_of(owner) == stopped; },
            stops);
        apply(state, p, stops);
        break;
      }
    }
  }

  const Budget budget_;
  std::vector<State> pending_;
  std::unordered_set<std::string> seen_;
  std::size_t moves_ = 0;
  bool skip_ = false;
  bool is_done_ = false;
};

void expect_right(const Budget& budget, std::size_t least_states) {
  const std::size_t states = Model(budget).explore();
  EXPECT_GT(states, least_states);
}

TEST(ExchangeModel, GivenTwoProcessesWhenMessagesComeInAnyOrderThenEachUnitCountsOnce) {
  expect_right({.units = 5, .asks = 2}, 1000);
}

TEST(ExchangeModel, GivenThreeProcessesThenEachUnitCountsOnce) {
  expect_right({.processes = 3, .units = 4, .asks = 1}, 1000);
}

TEST(ExchangeModel, GivenLostAndDoubledMessagesThenEachUnitCountsOnce) {
  expect_right({.units = 3, .asks = 1, .lost = 1, .doubled = 1}, 1000);
}

TEST(ExchangeModel, GivenAProcessThatEndsThenEachUnitCountsOnce) {
  expect_right({.processes = 3, .units = 3, .asks = 1, .deaths = 1}, 1000);
}

TEST(ExchangeModel, GivenMoreUnitsAsksAndTroubleThenEachUnitCountsOnce) {
  expect_right({.units = 6, .asks = 3}, 30'000);
  expect_right({.units = 4, .asks = 1, .lost = 2, .doubled = 1}, 10'000);
  expect_right({.processes = 3, .units = 3, .asks = 1, .lost = 1, .deaths = 1}, 20'000);
}

}  // namespace
}  // namespace kumiko::search::detail::model
