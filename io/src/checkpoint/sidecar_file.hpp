// The keys of a sidecar: the one list of them, from which its reader, its writer and the table of
// docs/reference/files.md follow.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

#include <kumiko/amr/statistics.hpp>
#include <kumiko/io/sidecar.hpp>

#include "checkpoint/run_json.hpp"
#include "hdf5/limits.hpp"

namespace kumiko::io {

/// Changes whenever a reader would have to. The first version held no seal.
inline constexpr int kSidecarVersion = 2;
inline constexpr int kVersionWithoutSeal = 1;

/// A sidecar as it is stored. Moving it throws nothing: its variants always have values.
struct SidecarFile : Sidecar {  // NOLINT(bugprone-exception-escape)
  int version = kSidecarVersion;
  int step = 0;
  int next_check = 0;
  amr::WorkCounters counters = {};   ///< only those that depend on who did the work
  nlohmann::ordered_json keys = {};  ///< the configuration
  std::optional<std::string> seal = {};
};

constexpr auto described(std::type_identity<RunPaths>) {
  using P = RunPaths;
  return std::tuple(Item<&P::configuration>{"configuration", "CASE.toml; empty without one"},
                    Item<&P::folder>{"folder"}, Item<&P::case_file>{"case", "its plugin"},
                    Item<&P::solver_file>{"solver", "its plugin"});
}

constexpr auto described(std::type_identity<SidecarFile>) {
  using F = SidecarFile;
  using C = amr::WorkCounters;
  return std::tuple(
      Item<&F::version>{"sidecar_version", "2; a reader of this table should check it"},
      Item<&F::step>{"step", "base steps taken, as in its checkpoint"},
      Item<&F::wall_s>{"wall_s", "seconds of stepping so far, in all parts of the run"},
      Item<&F::reached>{"reached", "time up to which outputs by time have been written"},
      Item<&F::backend>{"backend", "of the part of the run that ends there"},
      Item<&F::workers>{"workers", "of that part"},
      Item<&F::origin>{"", "[where and when](#where-and-when-in-summaryjson), of that part"},
      Item<&F::paths>{"paths", "as given to that part"},
      Item<&F::next_check>{"next_check", "the base step before the next check for finite values"},
      Item<&F::counters, &C::sum_of_largest>{
          "sum_of_largest", "over base steps, of the largest number of updates of a worker"},
      Item<&F::counters, &C::sum_of_means>{
          "sum_of_means", "of the mean number; their quotient is the summary's imbalance"},
      Item<&F::counters, &C::workers>{"load", "the totals of each worker"}.up_to(kMostWorkers),
      Item<&F::counters, &C::longest_waits>{"longest_waits"}.up_to(C::kLongestWaits),
      Item<&F::keys>{"keys", "the keys that do not determine the state, by full name"},
      Item<&F::seal>{"seal", "the hash in the seal of its checkpoint, 16 hexadecimal digits"});
}

}  // namespace kumiko::io
