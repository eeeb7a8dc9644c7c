// aggregation: groups of threads that write their group's block from end to end, and yield after
// each pass: the best case of aggregation groups, after Yamada and Kusakabe (2010), section 5.
//
// order=fifo         without groups
// order=aggregated   with a Group for each block
// order=published    the same, each shown to the workers below the same last-level cache
// order=apart        one block after another, as whoever knew all would order them
//
// A pass adds 1 to a word of every cache line (stride=64), or to every word (stride=8). With
// writes=0 it only reads them.
//
// Threads begin one of each group, then the next one of each, so that first in, first out is the
// worst that could be. `loners` of the groups share nothing: their threads write blocks of
// `loner_bytes` of their own; loners_on=0 switches these groups off. tuned=1 lets a GroupTuner
// decide about all groups, which are off at first.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <kumiko/runtime/group.hpp>
#include <kumiko/runtime/group_tuner.hpp>
#include <kumiko/runtime/latch.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "support/arguments.hpp"
#include "support/clock.hpp"
#include "support/report.hpp"

namespace kumiko::bench {
namespace {

using Block = std::vector<std::uint64_t>;

struct Plan {
  explicit Plan(Arguments& arguments)
      : workers(static_cast<int>(arguments.integer("workers", 1))),
        groups(arguments.integer("groups", 64)),
        threads(arguments.integer("threads", 16)),
        passes(arguments.integer("passes", 32)),
        words(arguments.integer("bytes", 262144) / static_cast<long>(sizeof(std::uint64_t))),
        stride(arguments.integer("stride", 64) / static_cast<long>(sizeof(std::uint64_t))),
        limit(static_cast<int>(arguments.integer("limit", runtime::GroupOptions().limit))),
        loners(arguments.integer("loners", 0)),
        loner_words(arguments.integer("loner_bytes", 4194304) /
                    static_cast<long>(sizeof(std::uint64_t))),
        loners_on(arguments.integer("loners_on", 1) != 0),
        tuned(arguments.integer("tuned", 0) != 0),
        writes(arguments.integer("writes", 1) != 0),
        order(arguments.text("order", "aggregated")) {
    arguments.reject_unknown();
    if (order != "fifo" && order != "aggregated" && order != "published" && order != "apart") {
      throw std::invalid_argument("order is '" + order +
                                  "'; give fifo, aggregated, published or apart");
    }
    if (std::min({groups, threads, passes, words, loner_words, stride}) < 1 || loners < 0 ||
        loners > groups) {
      throw std::invalid_argument(
          "groups, threads, passes, bytes / 8, loner_bytes / 8 and stride / 8 must be 1 or more, "
          "and loners from 0 to groups");
    }
  }

  const int workers;
  const long groups;
  const long threads;
  const long passes;
  const long words;
  const long stride;  ///< in words
  const int limit;
  const long loners;
  const long loner_words;
  const bool loners_on;
  const bool tuned;
  const bool writes;
  const std::string order;

  bool has_groups() const { return order == "aggregated" || order == "published"; }
};

/// What threads of one kind have done.
struct Turns {
  std::atomic<std::int64_t> passes{0};
  std::atomic<std::int64_t> nanoseconds{0};

  std::int64_t nanoseconds_per_pass() const { return passes == 0 ? 0 : nanoseconds / passes; }
};

/// Where the threads of a group wait until all are there: what it costs to make them is not
/// measured.
class Gate {
 public:
  explicit Gate(long threads) : left_(threads) {
    for (long thread = 0; thread < threads; ++thread) starts_.emplace_back(1);
  }
  void wait(long thread) { starts_[static_cast<std::size_t>(thread)].wait(); }
  void open(long thread) { starts_[static_cast<std::size_t>(thread)].count_down(); }
  void leave() { left_.count_down(); }

  /// Lets all threads pass, and waits until they have left.
  void open_and_wait() {
    for (runtime::Latch& start : starts_) start.count_down();
    left_.wait();
  }

 private:
  std::deque<runtime::Latch> starts_;
  runtime::Latch left_;
};

class Aggregation {
 public:
  explicit Aggregation(const Plan& plan)
      : plan_(plan), runtime_(runtime::Options{.workers = plan.workers}) {
    for (long group = 0; group < plan.groups; ++group) {
      blocks_.emplace_back(is_loner(group) ? plan.threads * plan.loner_words : plan.words);
      gates_.emplace_back(plan.threads);
      groups_.emplace_back(runtime_, runtime::GroupOptions{.limit = plan.limit,
                                                           .published = plan.order == "published"});
      if (is_loner(group)) groups_.back().set_on(plan.loners_on);
      if (plan.tuned) groups_.back().set_on(false);
    }
  }

  Measurement measure() {
    double seconds = 0;
    std::optional<runtime::GroupTuner> tuner;
    if (plan_.tuned) tuner.emplace(addresses(), runtime::GroupTunerOptions{});
    runtime_.run([&] {
      runtime::TaskGroup all;
      for (long thread = 0; thread < plan_.threads; ++thread) {
        for (long group = 0; group < plan_.groups; ++group) spawn(all, group, thread);
      }
      const double begin = steady_seconds();
      if (plan_.order == "apart") {
        for (Gate& gate : gates_) gate.open_and_wait();
      } else {
        open_gates(all);
      }
      all.wait();
      seconds = steady_seconds() - begin;
    });
    tuner.reset();
    if (plan_.workers == 1 && plan_.writes) check_blocks();
    const std::int64_t passes = sharing_.passes + alone_.passes;
    return {seconds,
            static_cast<std::uint64_t>(passes),
            {{"passes", passes},
             {"sharing_ns", sharing_.nanoseconds_per_pass()},
             {"loner_ns", alone_.nanoseconds_per_pass()},
             {"sharing_on", count_on(false)},
             {"loners_on", count_on(true)}}};
  }

 private:
  void add_one(std::uint64_t* begin, long words) const {
    for (long i = 0; i < words; i += plan_.stride) {
      // Threads of a group may be on several workers at once, and lose what others added.
      const std::atomic_ref word(begin[i]);
      word.store(word.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
  }

  /// \throws std::logic_error if a word is not as it was made.
  void read(std::uint64_t* begin, long words) const {
    std::uint64_t sum = 0;
    for (long i = 0; i < words; i += plan_.stride) {
      sum += std::atomic_ref(begin[i]).load(std::memory_order_relaxed);
    }
    if (sum != 0) throw std::logic_error("a word that nobody writes has changed");
  }

  bool is_loner(long group) const { return group < plan_.loners; }

  std::vector<runtime::Group*> addresses() {
    std::vector<runtime::Group*> all;
    for (runtime::Group& group : groups_) all.push_back(&group);
    return all;
  }

  /// How many groups are on, of the loners or of the others.
  std::int64_t count_on(bool loners) const {
    std::int64_t on = 0;
    for (long group = 0; group < plan_.groups; ++group) {
      on += is_loner(group) == loners && groups_[static_cast<std::size_t>(group)].is_on() ? 1 : 0;
    }
    return on;
  }

  /// \throws std::logic_error if a pass is missing.
  void check_blocks() const {
    for (long group = 0; group < plan_.groups; ++group) {
      const auto passes =
          static_cast<std::uint64_t>(plan_.passes * (is_loner(group) ? 1 : plan_.threads));
      const std::uint64_t found = blocks_[static_cast<std::size_t>(group)].front();
      if (found == passes) continue;
      throw std::logic_error("block " + std::to_string(group) + " has seen " +
                             std::to_string(found) + " passes, not " + std::to_string(passes));
    }
  }

  /// Makes a thread that waits at its group's gate.
  void spawn(runtime::TaskGroup& all, long group, long thread) {
    const auto pass = [this, group, thread] {
      Gate& gate = gates_[static_cast<std::size_t>(group)];
      gate.wait(thread);
      make_passes(group, thread);
      gate.leave();
    };
    if (plan_.has_groups()) {
      all.run(groups_[static_cast<std::size_t>(group)], pass);
    } else {
      all.run(pass);
    }
  }

  /// Wakes the threads, an equal part of each group by each worker, one of each group after the
  /// other.
  void open_gates(runtime::TaskGroup& all) {
    for (int worker = 0; worker < plan_.workers; ++worker) {
      all.run_near(worker, [this, worker] {
        for (long thread = worker; thread < plan_.threads; thread += plan_.workers) {
          for (Gate& gate : gates_) gate.open(thread);
        }
      });
    }
  }

  void make_passes(long group, long thread) {
    Block& block = blocks_[static_cast<std::size_t>(group)];
    const long words = is_loner(group) ? plan_.loner_words : plan_.words;
    std::uint64_t* const begin = block.data() + (is_loner(group) ? thread * words : 0);
    Turns& turns = is_loner(group) ? alone_ : sharing_;
    for (long pass = 0; pass < plan_.passes; ++pass) {
      runtime::this_thread::yield();
      const auto start = std::chrono::steady_clock::now();
      if (plan_.writes) {
        add_one(begin, words);
      } else {
        read(begin, words);
      }
      const std::chrono::nanoseconds taken = std::chrono::steady_clock::now() - start;
      turns.passes.fetch_add(1, std::memory_order_relaxed);
      turns.nanoseconds.fetch_add(taken.count(), std::memory_order_relaxed);
    }
  }

  const Plan& plan_;
  runtime::Runtime runtime_;
  std::vector<Block> blocks_;
  std::deque<Gate> gates_;
  std::vector<runtime::Group> groups_;
  Turns sharing_;
  Turns alone_;
};

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  using namespace kumiko::bench;
  try {
    Arguments arguments(argc, argv);
    const Plan plan(arguments);
    print_report("aggregation", "kumiko", plan.workers, arguments, Aggregation(plan).measure());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
