#include "calls/endpoint.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include <kumiko/cluster/program.hpp>

namespace kumiko::cluster::detail {

namespace {

const ClusterOptions& checked(const ClusterOptions& options) {
  if (options.window < 1) {
    throw std::invalid_argument("Cluster: a window of " + std::to_string(options.window) +
                                " calls; give at least 1");
  }
  return options;
}

}  // namespace

Endpoint::Endpoint(Node& home, runtime::Runtime& scheduler, std::unique_ptr<Link> joined,
                   const ClusterOptions& chosen)
    : node(home),
      runtime(scheduler),
      link(std::move(joined)),
      options(checked(chosen)),
      program(program_id()),
      rank(link == nullptr ? 0 : link->rank()),
      size(link == nullptr ? 1 : link->size()),
      process(size > 1 ? own_process() : Process()),
      bell(link == nullptr ? -1 : link->pollable()) {
  for (int i = 0; i < size; ++i) peers.push_back(std::make_unique<Peer>(options.window));
}

void Endpoint::check(int other) const {
  if (other >= 0 && other < size) return;
  throw std::out_of_range("there is no rank " + std::to_string(other) + "; ranks are 0 to " +
                          std::to_string(size - 1));
}

}  // namespace kumiko::cluster::detail
