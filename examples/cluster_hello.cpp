// Invokes a function on every rank and prints what they say.
//
//     build/release/bin/example_cluster_hello 4                       four ranks in this process
//     mpirun -n 4 --bind-to none build/release/bin/example_cluster_hello
#include <cstdio>
#include <string>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/runtime/future.hpp>

#include "ranks.hpp"

namespace cluster = kumiko::cluster;

int main(int argc, char** argv) {
  return examples::run_ranks(argc, argv, [](cluster::Cluster& rank) {
    if (rank.rank() != 0) return true;  // the others serve what rank 0 invokes until they leave
    const cluster::Here here = rank.here();
    const auto greet = [](const cluster::Here& there, const std::string& whom) {
      return "rank " + std::to_string(there.rank()) + " greets " + whom;
    };
    std::vector<cluster::Future<std::string>> greetings;
    for (int other = 0; other < here.size(); ++other) {
      greetings.push_back(here.async(other, greet, std::string("rank 0")));
    }
    for (cluster::Future<std::string>& greeting : greetings) std::puts(greeting.get().c_str());
    return true;
  });
}
