// Contract of SearchTree: processes that join a search over TCP, directly or by a relay, work for
// it. Whichever of them leave, and whenever, the result is the serial program's. A process that has
// nothing to do rests until there is something. Here each process is a Runtime of its own.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kumiko/runtime/runtime.hpp>
#include <kumiko/search/search_tree.hpp>

#include "exchange/exchange.hpp"
#include "helper.hpp"
#include "queens.hpp"

namespace kumiko::search::queens {
namespace {

using namespace std::chrono_literals;
using runtime::io::Address;

/// The process that searches.
class Root {
 public:
  Root() : tree_(runtime_, tree_options()), address_(tree_.listen(Address::loopback())) {}

  const Address& address() const { return address_; }
  ExchangeStatistics statistics() const { return tree_.statistics(); }

  std::string end_and_record() { return tree_.end_and_record("all placements"); }

  void search(int size) {
    runtime_.run([&] {
      Search<Board> search(Board(size), tree_.outside());
      place_from(search, 0, Slowly());
      expect_all(search);
    });
  }
  void search_until(const std::function<bool()>& is_enough) {
    do {
      search(8);
    } while (!is_enough());
  }

 private:
  runtime::Runtime runtime_{{.workers = 1}};
  SearchTree tree_;
  Address address_;
};

TEST(SearchTreeTest, GivenNobodyElseThenTheSearchIsDoneHere) {
  Root root;
  root.search(7);
  EXPECT_EQ(root.statistics().given, 0U);
}

TEST(SearchTreeTest, GivenHelpersThenTheyWorkAndAreToldOfTheEnd) {
  auto root = std::make_unique<Root>();
  Helper first(root->address());
  Helper second(root->address());
  Helper relay(root->address(), true);
  Helper behind(relay.address());
  root->search_until([&] { return first.taken() > 0 && second.taken() > 0; });
  root.reset();
  for (Helper* const helper : {&first, &second, &relay, &behind}) {
    EXPECT_EQ(helper->help().why, HelpEnd::kSearchDone);
  }
}

TEST(SearchTreeTest, GivenARelayThenThoseBehindItWorkToo) {
  Root root;
  Helper relay(root.address(), true);
  Helper behind(relay.address());
  root.search_until([&] { return behind.taken() > 0; });
}

TEST(SearchTreeTest, GivenARelayThatLeavesThenThoseBehindItAreTold) {
  const Root root;
  auto relay = std::make_unique<Helper>(root.address(), true);
  Helper behind(relay->address());
  relay.reset();
  const HelpEnd end = behind.help();
  EXPECT_EQ(end.why, HelpEnd::kParentLost);
  EXPECT_FALSE(end.reason.empty());
}

TEST(SearchTreeTest, GivenHelpersARelayAndOneThatHasLeftThenTheRecordHasThemAll) {
  Root root;
  auto relay = std::make_unique<Helper>(root.address(), true);
  auto behind = std::make_unique<Helper>(relay->address());
  auto leaves = std::make_unique<Helper>(root.address());
  root.search_until([&] { return behind->taken() > 0 && leaves->taken() > 0; });
  leaves.reset();
  std::vector<std::jthread> helping;
  for (std::unique_ptr<Helper>* const helper : {&relay, &behind}) {
    helping.emplace_back([helper] {
      EXPECT_EQ((*helper)->help().why, HelpEnd::kSearchDone);
      helper->reset();
    });
  }
  const auto record = nlohmann::json::parse(root.end_and_record());
  helping.clear();
  std::vector<std::string> names;
  for (const auto& process : record["processes"]) {
    EXPECT_TRUE(process["told"]) << process;
    names.push_back(process["name"]);
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"1", "1:1", "2", "root"}));
  const auto number_of = [&](const std::string& name) {
    std::size_t number = 0;
    while (record["processes"][number]["name"] != name) ++number;
    return number;
  };
  std::vector<std::uint64_t> used(names.size());
  for (const auto& part : record["parts"]) {
    if (part.value("became", "") == "used") ++used[part["taker"].get<std::size_t>()];
  }
  EXPECT_GT(used[number_of("1:1")], 0U);
  EXPECT_GT(used[number_of("2")], 0U);
}

TEST(SearchTreeTest, GivenAHelperThenItsRecordIsNotAskedForThere) {
  const Root root;
  runtime::Runtime runtime({.workers = 1});
  SearchTree tree(runtime, tree_options());
  tree.join(root.address());
  EXPECT_THROW(tree.end_and_record(""), std::logic_error);
}

TEST(SearchTreeTest, GivenAStopThenAHelperReturns) {
  const Root root;
  runtime::Runtime runtime({.workers = 1});
  SearchTree tree(runtime, tree_options());
  tree.join(root.address());
  std::stop_source stop;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(5ms);
    stop.request_stop();
  });
  EXPECT_EQ(tree.help(stop.get_token()).why, HelpEnd::kStopped);
}

class ComingAndGoing : public testing::TestWithParam<unsigned> {};

TEST_P(ComingAndGoing, GivenProcessesThatJoinAndLeaveAtAnyTimeThenTheResultIsTheSame) {
  Root root;
  std::atomic<bool> ended = false;
  std::vector<std::jthread> processes;
  for (unsigned i = 0; i < 2; ++i) {
    processes.emplace_back([&, i] {
      std::mt19937 random(GetParam() * 2 + i);
      while (!ended) {
        Helper helper(root.address(), true);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 10000));
        const Helper behind(helper.address());
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
      }
    });
  }
  for (int i = 0; i < 3; ++i) root.search(8);
  ended = true;
}
INSTANTIATE_TEST_SUITE_P(Seeds, ComingAndGoing, testing::Range(1U, 5U));
INSTANTIATE_TEST_SUITE_P(Soak, ComingAndGoing, testing::Range(5U, 105U));

/// An exchange whose only neighbour answers every ask by none at once.
class Refused {
 public:
  explicit Refused(runtime::Runtime& runtime)
      : runtime_(runtime),
        exchange_(std::make_shared<detail::Exchange>(runtime_, std::make_unique<Peers>(*this))) {
    exchange_->begin();
  }
  ~Refused() {
    runtime_.run([this] { exchange_->end(); });
  }

  detail::Exchange& exchange() { return *exchange_; }
  std::uint64_t asks() const { return exchange_->statistics().asks; }

  /// An ask as the neighbour got it.
  struct Ask {
    std::chrono::steady_clock::time_point at;
    bool rests;
  };
  std::vector<Ask> all_asks() const {
    const std::lock_guard lock(asks_lock_);
    return asks_;
  }
  /// Those that announce a rest.
  std::ptrdiff_t asks_before_a_rest() const {
    const std::lock_guard lock(asks_lock_);
    return std::count_if(asks_.begin(), asks_.end(), [](const Ask& ask) { return ask.rests; });
  }

  /// The number of times that the neighbour was notified of a search here.
  std::atomic<int> told{0};

 private:
  class Peers final : public detail::Peers {
   public:
    explicit Peers(Refused& whose) : whose_(whose) {}
    void send(const detail::Way& to, const detail::ExchangeMessage& message,
              const detail::Way& /*on_behalf_of*/) override {
      using Says = detail::ExchangeMessage::Says;
      if (message.kind == Says::kBegun) ++whose_.told;
      if (message.kind == Says::kAsk) {
        whose_.note({std::chrono::steady_clock::now(), message.rests});
        whose_.exchange_->receive(to, {.kind = Says::kNone, .ask = message.ask});
      }
    }
    std::vector<std::uint16_t> neighbours() const override { return {1}; }
    bool is_here(std::uint16_t /*neighbour*/) const noexcept override { return false; }
    bool has_others_behind() const noexcept override { return false; }
    std::vector<detail::Way> newly_lost() noexcept override { return {}; }
    bool finds_losses() const noexcept override { return false; }

   private:
    Refused& whose_;
  };

  void note(Ask ask) {
    const std::lock_guard lock(asks_lock_);
    asks_.push_back(ask);
  }

  mutable std::mutex asks_lock_;
  std::vector<Ask> asks_;
  runtime::Runtime& runtime_;
  const std::shared_ptr<detail::Exchange> exchange_;
};

TEST(Resting, GivenOneWhoRestsWhenASearchBeginsWhereItHasAskedInVainThenItIsTold) {
  runtime::Runtime runtime({.workers = 1});
  Refused process(runtime);
  process.exchange().receive(
      {1}, {.kind = detail::ExchangeMessage::Says::kAsk, .ask = 7, .rests = false});
  const auto search = [&] {
    runtime.run([&] { Search<Board> here(Board(5), process.exchange().own_place()); });
  };
  search();
  EXPECT_EQ(process.told, 0) << "it asks again soon";
  process.exchange().receive(
      {1}, {.kind = detail::ExchangeMessage::Says::kAsk, .ask = 8, .rests = true});
  search();
  while (process.told == 0) std::this_thread::sleep_for(1ms);
  search();
  EXPECT_EQ(process.told, 1) << "once";
}

TEST(Resting, GivenWorkersAsleepWhenAnExchangeBeginsThenItAsks) {
  runtime::Runtime runtime({.workers = 1});
  // The first makes the source, which is closed when it has ended.
  for (int exchange = 0; exchange < 3; ++exchange) {
    std::this_thread::sleep_for(50ms);
    const Refused process(runtime);
    while (process.asks() == 0) std::this_thread::sleep_for(1ms);
  }
}

TEST(Resting, GivenOneWhoAsksInVainThenItRestsLongerAndLongerUntilItIsTold) {
  runtime::Runtime runtime({.workers = 1});
  Refused process(runtime);
  while (process.asks_before_a_rest() < 8) std::this_thread::sleep_for(1ms);
  const std::vector<Refused::Ask> asks = process.all_asks();
  // A busy machine makes pauses longer only.
  for (std::size_t at = 1; at + 1 < asks.size(); ++at) {
    if (!asks[at].rests) continue;
    EXPECT_GE(asks[at + 1].at - asks[at].at, (asks[at].at - asks[1].at) / 10) << "pause " << at;
  }
  const auto is_soon_back = [](const Refused::Ask& ask) { return !ask.rests; };
  const auto before = std::count_if(asks.begin(), asks.end(), is_soon_back);
  process.exchange().receive({1}, {.kind = detail::ExchangeMessage::Says::kBegun});
  std::ptrdiff_t after = before;
  while (after <= before) {
    std::this_thread::sleep_for(1ms);
    const std::vector<Refused::Ask> all = process.all_asks();
    after = std::count_if(all.begin(), all.end(), is_soon_back);
  }
}

}  // namespace
}  // namespace kumiko::search::queens
