// ranks_kumiko: what two ranks do by kumiko::cluster, each with one worker.
//
//   mpirun.openmpi -n 2 --bind-to none ranks_kumiko part=latency idle=spin batches=100 calls=100
//
// Rank 0 prints a line of JSON. The parts are named as those of ranks_openmpi and ranks_mpich,
// which do the same by MPI alone.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/collectives.hpp>
#include <kumiko/cluster/launch.hpp>
#include <kumiko/cluster/region.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/this_thread.hpp>
#include <kumiko/runtime/thread.hpp>

#include "load.hpp"
#include "support/arguments.hpp"
#include "support/clock.hpp"
#include "support/json_line.hpp"
#include "usage.hpp"
#include "ways.hpp"

namespace kumiko::bench {
namespace {

using cluster::Cluster;
using cluster::Future;
using cluster::Here;

constexpr long kWindow = 16;  ///< writes under way

/// Rank 0 measures; the other one serves meanwhile.
template <class Measure>
void on_first_rank(const Here& here, Measure measure) {
  barrier(here).get();
  if (here.rank() == 0) measure();
  barrier(here).get();
}

/// An empty function there and back.
void measure_latency(const Here& here, Arguments& arguments, JsonLine& report) {
  const Turns turns{arguments.integer("batches", 100), arguments.integer("calls", 100)};
  arguments.reject_unknown();
  const auto invoke = [&](long calls) {
    for (long i = 0; i < calls; ++i) here.invoke(1, [] {});
  };
  const auto invoke_inline = [&](long calls) {
    for (long i = 0; i < calls; ++i) here.invoke_inline(1, []() noexcept {});
  };
  on_first_rank(here, [&] {
    measure_in_turn({{"invoke", invoke}, {"inline", invoke_inline}}, turns, report);
  });
}

/// An empty function on the own rank, beside the thread that it is.
void measure_own(const Here& here, Arguments& arguments, JsonLine& report) {
  const Turns turns{arguments.integer("batches", 100), arguments.integer("calls", 1000)};
  arguments.reject_unknown();
  const auto invoke = [&](long calls) {
    for (long i = 0; i < calls; ++i) here.invoke(0, [] {});
  };
  const auto join = [](long calls) {
    for (long i = 0; i < calls; ++i) runtime::Thread([] {}).join();
  };
  on_first_rank(here, [&] {
    measure_in_turn({{"invoke", invoke}, {"thread", join}}, turns, report);
  });
}

/// One write after the other of `size` bytes, kWindow of them ahead.
void measure_bandwidth(const Here& here, Arguments& arguments, JsonLine& report) {
  const Turns turns{arguments.integer("batches", 20), arguments.integer("calls", 4096)};
  const auto size = static_cast<std::size_t>(arguments.integer("size", 2048));
  arguments.reject_unknown();
  std::vector<std::byte> memory(kWindow * size, std::byte{1});
  const cluster::ExposedRegion exposed(here, memory, cluster::Rights::kWrite);
  const cluster::Region there = broadcast(here, exposed.region(), 1).get();
  const auto write = [&](long messages) {
    std::array<Future<void>, kWindow> writes;
    for (long i = 0; i < messages; ++i) {
      const auto place = static_cast<std::size_t>(i % kWindow);
      if (writes[place].valid()) writes[place].get();
      writes[place] =
          cluster::write(here, there, place * size, std::span(memory).subspan(place * size, size))
              .written;
    }
    for (Future<void>& last : writes) {
      if (last.valid()) last.get();
    }
  };
  on_first_rank(here, [&] { measure_in_turn({{"write", write}}, turns, report); });
}

std::uint64_t items_seen = 0;  ///< there is one worker

/// Many posts, until all have run; and the same items gathered to spans by the caller.
void measure_posts(const Here& here, Arguments& arguments, JsonLine& report) {
  const Turns turns{arguments.integer("batches", 1), arguments.integer("calls", 1000000)};
  arguments.reject_unknown();
  const auto expect_all = [&](long count) {
    here.quiesce();
    const auto seen = [] { return std::exchange(items_seen, 0); };
    if (here.invoke(1, seen) != static_cast<std::uint64_t>(count)) {
      throw std::logic_error("posts were lost");
    }
  };
  const auto post = [&](long count) {
    for (long i = 0; i < count; ++i) {
      here.post(
          1, [](std::uint64_t item) { items_seen += item; }, std::uint64_t{1});
    }
    expect_all(count);
  };
  const auto post_inline = [&](long count) {
    for (long i = 0; i < count; ++i) {
      here.post_inline(
          1, [](std::uint64_t item) noexcept { items_seen += item; }, std::uint64_t{1});
    }
    expect_all(count);
  };
  const auto post_spans = [&](long count) {
    constexpr long kItems = 4096 / sizeof(std::uint64_t);
    const std::vector<std::uint64_t> items(kItems, 1);
    const auto take = [](std::span<const std::uint64_t> some) {
      for (const std::uint64_t item : some) items_seen += item;
    };
    for (long i = 0; i < count; i += kItems) {
      const auto part = static_cast<std::size_t>(std::min(kItems, count - i));
      here.post(1, take, std::span(items).first(part));
    }
    expect_all(count);
  };
  on_first_rank(here, [&] {
    measure_in_turn({{"posts", post}, {"inline", post_inline}, {"spans", post_spans}}, turns,
                    report);
  });
}

std::atomic<bool> is_over{false};

/// A computation that lets others go first between its pieces.
void compute_yielding(std::uint64_t& value) {
  value = compute_piece(value);
  runtime::this_thread::yield();
}

/// One that only says where it could be interrupted.
void compute_polling(std::uint64_t& value) {
  value = compute_piece(value);
  runtime::this_thread::poll();
}

/// One that is made of threads.
void compute_in_threads(std::uint64_t& value) {
  runtime::TaskGroup group;
  group.run([&value] { value = compute_piece(value); });
  group.wait();
}

/// One that the runtime never sees.
void compute_silently(std::uint64_t& value) { value = compute_piece(value); }

template <class Step>
Progress compute_and_serve(const Here& here, long pieces, Step step) {
  std::uint64_t value = 0;
  const double begin = steady_seconds();
  for (long i = 0; i < pieces; ++i) step(value);
  const double alone = static_cast<double>(pieces) / (steady_seconds() - begin);
  is_over.store(false, std::memory_order_relaxed);
  barrier(here).get();
  long done = 0;
  const double called = steady_seconds();
  for (; !is_over.load(std::memory_order_relaxed); ++done) step(value);
  const double taken = steady_seconds() - called;
  if (value == 0)
    throw std::logic_error("nothing was computed");  // and so it is not optimised away
  return {alone, static_cast<double>(done) / taken};
}

template <class Step>
void measure_calls(const Here& here, const std::string& name, long calls, double gap, Step step,
                   JsonLine& report) {
  constexpr long kPiecesAlone = 20000;
  Progress progress{};
  Samples seconds;
  if (here.rank() == 1) {
    progress = compute_and_serve(here, kPiecesAlone, step);
  } else {
    barrier(here).get();
    const auto call = [&] { here.invoke_inline(1, []() noexcept {}); };
    seconds = call_now_and_then(calls, gap, call, [] { runtime::this_thread::yield(); });
    here.invoke_inline(1, []() noexcept { is_over.store(true, std::memory_order_relaxed); });
  }
  progress = broadcast(here, progress, 1).get();
  if (here.rank() == 0) report_load(name, seconds, progress, report);
}

/// Inline functions of a rank whose worker computes.
void measure_load(const Here& here, Arguments& arguments, JsonLine& report) {
  const long calls = arguments.integer("calls", 1000);
  const double gap = arguments.real("gap", 1e-3);
  arguments.reject_unknown();
  measure_calls(here, "yield", calls, gap, compute_yielding, report);
  measure_calls(here, "poll", calls, gap, compute_polling, report);
  measure_calls(here, "spawn", calls, gap, compute_in_threads, report);
  measure_calls(here, "silent", calls, gap, compute_silently, report);
}

struct Back {
  long operator()(const Here& here, long depth) const {
    return depth == 0 ? 0 : 1 + here.invoke(here.caller(), Back(), depth - 1);
  }
};

/// Requests to all other ranks that invoke back, and back again, `depth` times.
void measure_flood(const Here& here, Arguments& arguments, JsonLine& report) {
  const long requests = arguments.integer("requests", 100000);
  const long depth = arguments.integer("depth", 64);
  arguments.reject_unknown();
  barrier(here).get();
  const std::int64_t before = resident_bytes("VmRSS");
  const double begin = steady_seconds();
  std::deque<Future<long>> answers;
  const auto take_one = [&] {
    if (answers.front().get() != depth) throw std::logic_error("a wrong answer");
    answers.pop_front();
  };
  for (long i = 0; i < requests; ++i) {
    for (int rank = 0; rank < here.size(); ++rank) {
      if (rank == here.rank()) continue;
      answers.push_back(here.async(rank, Back(), depth));
      if (answers.size() > kWindow) take_one();
    }
  }
  while (!answers.empty()) take_one();
  barrier(here).get();
  const double seconds = steady_seconds() - begin;
  const std::int64_t grown = max(here, resident_bytes("VmHWM") - before).get();
  report.add("seconds", seconds).add("grown_bytes", grown);
}

/// A rank that waits for messages, and one that sleeps, after some work together.
void measure_idle(const Here& here, Arguments& arguments, JsonLine& report) {
  using Seconds = std::chrono::duration<double>;
  const double seconds = arguments.real("seconds", 5);
  arguments.reject_unknown();
  on_first_rank(here, [&] {
    const auto used_there = [] { return cpu_seconds(); };
    for (int i = 0; i < 1000; ++i) here.invoke(1, [] {});
    runtime::this_thread::sleep_for(Seconds(0.2));
    const double there = here.invoke(1, used_there);
    const double own = cpu_seconds();
    runtime::this_thread::sleep_for(Seconds(seconds));
    report.add("sleeping_share", (cpu_seconds() - own) / seconds)
        .add("waiting_share", (here.invoke(1, used_there) - there) / seconds);
  });
}

using Part = void (*)(const Here&, Arguments&, JsonLine&);
Part part_of(const std::string& name) {
  if (name == "latency") return measure_latency;
  if (name == "own") return measure_own;
  if (name == "bandwidth") return measure_bandwidth;
  if (name == "posts") return measure_posts;
  if (name == "load") return measure_load;
  if (name == "flood") return measure_flood;
  if (name == "idle") return measure_idle;
  throw std::invalid_argument("part is '" + name +
                              "'; give latency, own, bandwidth, posts, load, flood or idle");
}

runtime::IdlePolicy waiting(const std::string& name) {
  const auto names = names_of(runtime::IdlePolicy{});
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    throw std::invalid_argument("idle is '" + name + "', which is not the name of a policy");
  }
  return static_cast<runtime::IdlePolicy>(found - names.begin());
}

void run(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const Part part = part_of(arguments.text("part", "latency"));
  const int window =
      static_cast<int>(arguments.integer("window", cluster::ClusterOptions{}.window));
  const runtime::IdlePolicy idle = waiting(arguments.text("idle", "pressure"));
  std::unique_ptr<cluster::Link> link = cluster::link_of_environment();
  if (link == nullptr || link->size() != 2) {
    throw std::invalid_argument("start two ranks, by the launcher of an MPI");
  }
  JsonLine report;
  runtime::Runtime runtime({.workers = 1, .idle = idle});
  runtime.run([&] {
    Cluster cluster(runtime, std::move(link), {.window = window});
    part(cluster.here(), arguments, report);
    if (cluster.rank() == 0) report.print();
  });
}

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  try {
    kumiko::bench::run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
