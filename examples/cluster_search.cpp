// The searches of examples/search on ranks: the same programs, whose parts go to those ranks that
// have nothing to do. Rank 0 searches, and the others help.
//
//     build/release/bin/example_cluster_search queens 12 3
//     build/release/bin/example_cluster_search queens 15 3 1 out; kumiko report out
//     mpirun -n 2 --bind-to none build/release/bin/example_cluster_search pentomino 12
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/collectives.hpp>
#include <kumiko/search/search.hpp>

#include "problems/nqueens_search.hpp"
#include "problems/pentomino_search.hpp"
#include "ranks.hpp"

namespace cluster = kumiko::cluster;
namespace search = kumiko::search;

namespace {

struct Found {
  long ways = 0;
  double seconds = 0;
};

/// Searches from `board` on; begin(search) is the program.
template <class Board>
Found search_from(const Board& board, search::PartExchange& exchange, auto begin) {
  const auto start = std::chrono::steady_clock::now();
  search::Search<Board> search(board, exchange.outside());
  begin(search);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return {search->ways, took.count()};
}

Found search_queens(int n, search::PartExchange& exchange) {
  return search_from(examples::QueensBoard(n), exchange,
                     [](auto& search) { examples::place_from(search, 0); });
}

Found search_pieces(int n, search::PartExchange& exchange) {
  return search_from(examples::PiecesBoard(n), exchange,
                     [](auto& search) { examples::fill_from(search, 0, 0); });
}

struct Program {
  std::string_view name;
  examples::Number size;
  Found (*search)(int n, search::PartExchange& exchange);
  const long* expected;
};

const std::array<Program, 2> kPrograms{
    {{"queens",
      {.name = "n", .least = 1, .most = examples::kMostQueens, .fallback = 12},
      search_queens,
      examples::kWaysToPlace.data()},
     {"pentomino",
      {.name = "n", .least = 10, .most = examples::kMostPieces, .fallback = 10},
      search_pieces,
      examples::kWaysToFill.data()}}};

/// What all ranks have asked for, given and taken.
search::ExchangeStatistics sum(const std::vector<search::ExchangeStatistics>& ranks) {
  search::ExchangeStatistics all;
  for (const search::ExchangeStatistics& rank : ranks) {
    all.asks += rank.asks;
    all.refusals += rank.refusals;
    all.given += rank.given;
    all.taken += rank.taken;
    all.bytes += rank.bytes;
  }
  return all;
}

/// Writes who worked for whom when, for kumiko report.
void write_record(const std::filesystem::path& folder, const std::string& record) {
  std::filesystem::create_directories(folder);
  std::ofstream file(folder / "search.json");
  if (!(file << record).flush()) {
    throw std::runtime_error("cannot write " + (folder / "search.json").string());
  }
}

bool run(cluster::Cluster& rank, const Program& program, int n, const std::string& folder) {
  search::PartExchange exchange(rank);
  Found found;
  if (rank.rank() == 0) found = program.search(n, exchange);
  exchange.leave();
  const std::vector<search::ExchangeStatistics> ranks =
      cluster::gather(rank.here(), exchange.statistics()).get();
  if (rank.rank() != 0) return true;
  const search::ExchangeStatistics all = sum(ranks);
  std::printf("n %d\nranks %d\nseconds %.6f\nways %ld\n", n, rank.size(), found.seconds,
              found.ways);
  std::printf("given %lu\ntaken %lu\nasks %lu\nrefusals %lu\nbytes %lu\n", all.given, all.taken,
              all.asks, all.refusals, all.bytes);
  const long expected = program.expected[static_cast<std::size_t>(n)];
  if (found.ways != expected) std::fprintf(stderr, "error: %ld ways are right\n", expected);
  if (!folder.empty()) {
    write_record(folder, exchange.record(std::string(program.name) + ' ' + std::to_string(n)));
  }
  return found.ways == expected;
}

}  // namespace

int main(int argc, char** argv) {
  examples::read_usage(argc, argv, 5, " queens|pentomino [n] [ranks here] [workers] [folder]");
  const std::string folder = argc > 5 ? argv[5] : "";
  for (const Program& program : kPrograms) {
    if (argc < 2 || program.name != argv[1]) continue;
    const std::array numbers =
        examples::read_arguments(std::min(argc, 5) - 1, argv + 1,
                                 {program.size, {"ranks here", 1, 64, 1}, {"workers", 0, 256, 0}});
    return examples::run_ranks(numbers[1], numbers[2], [&](cluster::Cluster& rank) {
      return run(rank, program, numbers[0], folder);
    });
  }
  std::fprintf(stderr, "error: the program is '%s'; it must be queens or pentomino\n",
               argc < 2 ? "" : argv[1]);
  return 2;
}
