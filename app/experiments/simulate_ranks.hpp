// The predictions of `kumiko simulate --ranks`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <kumiko/amr/trace.hpp>
#include <kumiko/model/rank_model.hpp>

#include "run/shared_options.hpp"

namespace kumiko::app {

/// As the command line has it.
struct RanksRequest {
  std::vector<int> ranks;  ///< in rising order
  int workers = 1;         ///< of each
  std::string network_name;
  model::Network network;
  amr::PartitionKind partition{};
  std::uint64_t seed = 1;
  std::filesystem::path replay;  ///< folder for the ranks' actions; empty: none
  bool json = false;
};

/// "shared", or OVERHEAD,LATENCY,GAP,PER_BYTE in nanoseconds. Throws RequestError.
model::Network network_named(const std::string& text);

/// Throws RequestError if the predictions may not be written into the folder of --output.
void check_ranks_output(const OutputRequest& output);

/// Throws RequestError if the actions of ranks may not be written into a folder.
void check_replay(const std::filesystem::path& folder, bool overwrite);

/// Prints the predictions, and writes their files.
void simulate_ranks(const amr::Trace& trace, const model::Overheads& overheads,
                    const RanksRequest& request, const OutputRequest& output);

}  // namespace kumiko::app
