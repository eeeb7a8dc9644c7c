// What the programs of searches have in common: they run serially, then as searches, and compare.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/search.hpp>

#include "../arguments.hpp"

namespace examples {

/// The serial elision of kumiko::runtime::Search: the same source with it is the serial program.
template <class Workspace>
class Serial {
 public:
  explicit Serial(Workspace workspace) : workspace_(std::move(workspace)) {}

  Workspace& operator*() { return workspace_; }
  Workspace* operator->() { return &workspace_; }

  template <kumiko::runtime::Polls = kumiko::runtime::Polls::kEachIndex, class Index, class Body,
            class... Rest>
  void split_for(Index first, Index last, const Body body, const Rest&...) {
    for (Index i = first; i < last; ++i) body(*this, i);
  }
  template <class First, class Second, class... Rest>
  void split_two(const First& first, const Second& second, const Rest&...) {
    first(*this);
    second(*this);
  }
  template <class Do, class Body, class Undo>
  void reversible(const Do apply, Body&& body, const Undo undo) {
    apply(workspace_);
    body();
    undo(workspace_);
  }

 private:
  Workspace workspace_;
};

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline void print_times(const char* name, const std::vector<double>& times) {
  std::printf("%s", name);
  for (const double time : times) std::printf(" %.6f", time);
  std::printf("\n");
}

/// A named number that a program prints from the workspace with which its search ended.
template <class Value>
struct Answer {
  const char* name;
  Value value;
};
template <class Value>
Answer(const char*, Value) -> Answer<Value>;

/// Adds the statistics of a round.
inline void add(const kumiko::runtime::SearchStatistics& round,
                kumiko::runtime::SearchStatistics& all) {
  all.parts += round.parts;
  all.undos += round.undos;
  all.redos += round.redos;
  all.most_live = std::max(all.most_live, round.most_live);
}

/// The program: [n] [workers] [rounds], with 0 workers for the serial version alone. In each round
/// `work` is called with a serial search of the workspace that make(n) returns, then with a real
/// one; check(n, workspace) says what is wrong with either's end, nothing if it is right. What
/// both found is printed as `answer` has it.
template <class Make, class Work, class Value, class Check>
int search_program(int argc, char** argv, const Number& size, const Make& make, const Work& work,
                   const Answer<Value>& answer, const Check& check) {
  const std::array numbers =
      read_arguments(argc, argv,
                     {size,
                      {.name = "workers", .least = 0, .most = 256, .fallback = 2},
                      {.name = "rounds", .least = 1, .most = 1000, .fallback = 1}});
  const int n = numbers[0];
  const int workers = numbers[1];
  const int rounds = numbers[2];
  std::vector<double> serial_times;
  std::vector<double> search_times;
  kumiko::runtime::SearchStatistics statistics;
  std::string error;
  double found = 0.0;
  std::vector<decltype(make(n))> ended;
  const auto timed = [&](auto& search, std::vector<double>& times) {
    const auto begin = std::chrono::steady_clock::now();
    work(search, n);
    times.push_back(seconds_since(begin));
    ended.push_back(std::move(*search));
  };
  kumiko::runtime::Runtime runtime({.workers = workers > 0 ? workers : 1});
  for (int round = 0; round < rounds; ++round) {
    runtime.run([&] {
      Serial serial(make(n));
      timed(serial, serial_times);
      if (workers == 0) return;
      kumiko::runtime::Search search(make(n));
      timed(search, search_times);
      add(search.statistics(), statistics);
    });
    for (const auto& workspace : ended) {
      if (error.empty()) error = check(n, workspace);
      found = static_cast<double>(answer.value(workspace));
    }
    ended.clear();
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%s %d\nworkers %d\n%s %.15g\n", size.name, n, workers, answer.name, found);
  print_times("serial_s", serial_times);
  print_times("search_s", search_times);
  std::printf("parts %lu\nundos %lu\nredos %lu\nmost_live %lu\npeak_kib %ld\n", statistics.parts,
              statistics.undos, statistics.redos, statistics.most_live, usage.ru_maxrss);
  if (statistics.undos != statistics.redos) error = "undos are not redos";
  if (error.empty()) return EXIT_SUCCESS;
  std::fprintf(stderr, "error: %s\n", error.c_str());
  return EXIT_FAILURE;
}

}  // namespace examples
