// search_delays: a search that ranks of this process share, whose messages take long and whose work
// is simulated, so that there may be more ranks than cores.
//
//   search_delays n=13 leaf_us=1100 delay_us=13500 ranks=4
//
// With rule=0 the processes are connected without a cluster, with rule=1 likewise, and by the
// paper's rule (see delayed_peers.hpp). Prints a line of JSON. Queens are placed, and whoever has
// placed the last one sleeps, with its OS thread: meanwhile its rank looks for no messages, as if
// it computed.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/collectives.hpp>
#include <kumiko/cluster/loopback.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/search/search.hpp>

#include "delayed_peers.hpp"
#include "exchange/part_types.hpp"
#include "problems/nqueens_board.hpp"
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

void place_from(search::Search<Board>& search, int row) {
  const auto try_column = [row](search::Search<Board>& at, int i) {
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

void search_all(Size size, search::Outside& others, JsonLine& report) {
  const auto begin = Clock::now();
  search::Search<Board> search(Board(size.n, size.leaf), others);
  place_from(search, 0);
  report.add("seconds", seconds(Clock::now() - begin)).add("worked_s", seconds(search->slept));
  if (search->ways != examples::kWaysToPlace.at(static_cast<std::size_t>(size.n))) {
    throw std::runtime_error("the number of ways is wrong");
  }
}

void add_sums(const std::vector<search::ExchangeStatistics>& processes, JsonLine& report) {
  search::ExchangeStatistics all;
  for (const search::ExchangeStatistics& one : processes) {
    all.given += one.given;
    all.asks += one.asks;
    all.refusals += one.refusals;
  }
  report.add("given", all.given).add("asks", all.asks).add("refusals", all.refusals);
}

void search(cluster::Cluster& rank, Size size, JsonLine& report) {
  search::PartExchange exchange(rank);
  if (rank.rank() == 0) search_all(size, exchange.outside(), report);
  exchange.leave();
  const auto ranks = gather(rank.here(), exchange.statistics()).get();
  if (rank.rank() == 0) add_sums(ranks, report);
}

void search_over_ranks(Size size, int ranks, microseconds delay, JsonLine& report) {
  cluster::Loopback net({.ranks = ranks});
  // Of a message half is the sender's, and half the receiver's.
  for (int rank = 0; rank < ranks; ++rank) net.slow(rank, delay / 2);
  run_ranks(net, {.workers = 1}, {}, [&](cluster::Cluster& rank) { search(rank, size, report); });
}

void search_by_rule(Size size, int processes, microseconds delay, bool has_rule, JsonLine& report) {
  using search::detail::Exchange;
  search::detail::check_part_types();
  DelayedNet net(processes, delay, has_rule);
  std::vector<std::unique_ptr<runtime::Runtime>> runtimes;
  for (int i = 0; i < processes; ++i) {
    runtimes.push_back(std::make_unique<runtime::Runtime>(runtime::Options{.workers = 1}));
    auto peers = std::make_unique<DelayedPeers>(net, static_cast<std::uint16_t>(i));
    net.exchanges.push_back(std::make_shared<Exchange>(*runtimes.back(), std::move(peers)));
  }
  std::vector<std::exception_ptr> escaped(runtimes.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < runtimes.size(); ++i) {
    threads.emplace_back([&, i] {
      runtimes[i]->run([&] {
        Exchange& exchange = *net.exchanges[i];
        exchange.begin();
        try {
          if (i == 0) search_all(size, exchange.own_place(), report);
        } catch (...) {
          escaped[i] = std::current_exception();
        }
        exchange.wait_for_ends();
        exchange.end();
      });
    });
  }
  threads.clear();
  for (const std::exception_ptr& exception : escaped) {
    if (exception != nullptr) std::rethrow_exception(exception);
  }
  std::vector<search::ExchangeStatistics> all;
  for (const auto& exchange : net.exchanges) all.push_back(exchange->statistics());
  add_sums(all, report);
}

void run(Arguments& arguments) {
  const Size size{static_cast<int>(arguments.integer("n", 10)),
                  microseconds(arguments.integer("leaf_us", 1000))};
  const microseconds delay(arguments.integer("delay_us", 0));
  const int ranks = static_cast<int>(arguments.integer("ranks", 4));
  constexpr long kOverRanks = -1;
  const long rule = arguments.integer("rule", kOverRanks);
  arguments.reject_unknown();
  JsonLine report;
  if (rule == kOverRanks) {
    search_over_ranks(size, ranks, delay, report);
  } else {
    search_by_rule(size, ranks, delay, rule != 0, report);
  }
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
