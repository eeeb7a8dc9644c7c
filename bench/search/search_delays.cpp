// search_delays: a search that ranks of this process share, whose messages take long and whose work
// is simulated, so that there may be more ranks than cores.
//
//   search_delays n=13 leaf_us=1100 delay_us=13500 ranks=4
//
// Prints a line of JSON. Queens are placed, and whoever has placed the last one sleeps, with its OS
// thread: meanwhile its rank looks for no messages, as if it computed.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>
#include <vector>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/collectives.hpp>
#include <kumiko/cluster/loopback.hpp>
#include <kumiko/cluster/search.hpp>

#include "nqueens_board.hpp"
#include "support/arguments.hpp"
#include "support/json_line.hpp"

namespace kumiko::bench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::nanoseconds;

struct Board : examples::QueensBoard {
  Board(int n, microseconds work) : QueensBoard(n), leaf(work) {}

  microseconds leaf;
  nanoseconds slept{0};
};

void work(Board& board) {
  const auto begin = Clock::now();
  std::this_thread::sleep_for(board.leaf);
  board.slept += Clock::now() - begin;
  ++board.ways;
}

void place_from(cluster::Search<Board>& search, int row) {
  const auto try_column = [row](cluster::Search<Board>& at, int i) {
    if (!at->is_free(row, i)) return;
    if (row == at->size - 1) return work(*at);
    at.reversible([=](Board& board) { board.place(row, i); }, [&] { place_from(at, row + 1); },
                  [=](Board& board) { board.remove(row, i); });
  };
  const auto give = [](const Board& here, int, int) {
    Board part = here;
    part.ways = 0;
    part.slept = nanoseconds(0);
    return part;
  };
  const auto take = [](Board& here, Board&& part) {
    here.ways += part.ways;
    here.slept += part.slept;
  };
  search.split_for(row, search->size, try_column, give, take);
}

double seconds(nanoseconds time) { return std::chrono::duration<double>(time).count(); }

struct Size {
  int n;
  microseconds leaf;
};

void search(cluster::Cluster& rank, Size size, JsonLine& report) {
  cluster::PartExchange exchange(rank);
  if (rank.rank() == 0) {
    const auto begin = Clock::now();
    cluster::Search<Board> search(Board(size.n, size.leaf), exchange.outside());
    place_from(search, 0);
    report.add("seconds", seconds(Clock::now() - begin)).add("worked_s", seconds(search->slept));
    if (search->ways != examples::kWaysToPlace.at(static_cast<std::size_t>(size.n))) {
      throw std::runtime_error("the number of ways is wrong");
    }
  }
  exchange.leave();
  const auto ranks = gather(rank.here(), exchange.statistics()).get();
  if (rank.rank() != 0) return;
  cluster::ExchangeStatistics all;
  for (const cluster::ExchangeStatistics& one : ranks) {
    all.given += one.given;
    all.asks += one.asks;
    all.refusals += one.refusals;
  }
  report.add("given", all.given).add("asks", all.asks).add("refusals", all.refusals);
}

void run(Arguments& arguments) {
  const Size size{static_cast<int>(arguments.integer("n", 10)),
                  microseconds(arguments.integer("leaf_us", 1000))};
  const microseconds delay(arguments.integer("delay_us", 0));
  const int ranks = static_cast<int>(arguments.integer("ranks", 4));
  arguments.reject_unknown();
  cluster::Loopback net({.ranks = ranks});
  // Of a message half is the sender's, and half the receiver's.
  for (int rank = 0; rank < ranks; ++rank) net.slow(rank, delay / 2);
  JsonLine report;
  run_ranks(net, {.workers = 1}, {}, [&](cluster::Cluster& rank) { search(rank, size, report); });
  report.print();
}

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  try {
    kumiko::bench::Arguments arguments(argc, argv);
    kumiko::bench::run(arguments);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
