// Searches that processes share which join and leave while they run, over TCP.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <kumiko/cluster/search.hpp>
#include <kumiko/cluster/tree.hpp>

namespace kumiko::cluster {

/// Why SearchTree::help() has returned.
struct HelpEnd {
  enum Why {
    kStopped,     ///< by its stop token
    kSearchDone,  ///< whoever searches has said so
    kParentLost,  ///< the search may go on
  };

  Why why = kStopped;
  std::string reason{};  ///< what is known of the parent that is lost
};

/// A process's place in a Tree of processes that share searches, as a PartExchange has it among
/// ranks. One of them searches, the others help:
///
///     SearchTree tree(runtime, {.secret = secret});
///     tree.listen(address);                            // who searches: others join here
///     Search<Board> search(Board(15), tree.outside());
///     place_from(search, 0);
///
///     SearchTree tree(runtime, {.secret = secret});
///     tree.join(address);                              // who helps, for as long as it likes
///     tree.help(stop_token);
///
/// Who has joined and listens too is a relay, for others who cannot reach the first. An ask that a
/// process cannot answer goes on to a neighbour on another side than where it came from: as a rule
/// where the largest part is known to be. Neighbours with short round trips are asked first.
///
/// What was given to a process that leaves, or that is lost, is given away again, as that of lost
/// ranks is; so the result is right whoever leaves or dies, but who searches.
///
/// The links have an OS thread of their own, so that they are served while all workers compute.
class SearchTree {
 public:
  /// A tree of this process alone. Options::program is set here. On any OS thread or lightweight
  /// thread. \throws what Tree throws; std::logic_error as PartExchange
  ///
  /// \param told  called for each neighbour that joins or goes, with a line that says so, by
  ///     lightweight threads of the tree's
  SearchTree(runtime::Runtime& runtime, TreeOptions options,
             std::function<void(const std::string& line)> told = {});

  SearchTree(const SearchTree&) = delete;
  SearchTree& operator=(const SearchTree&) = delete;

  /// Leaves; no search of this process is under way. Where it has no parent, the others are told
  /// that the search is done, unless it was interrupted. Who was told so tells its parent what it
  /// has done, and waits a little for its children to do the same.
  ~SearchTree();

  /// The search is not done: it will go on in another process, which the others may join.
  void interrupt() noexcept;

  /// As Tree::listen() and Tree::join().
  runtime::io::Address listen(const runtime::io::Address& address);
  void join(const runtime::io::Address& address);

  /// What a Search is to be constructed with, to share its parts.
  runtime::detail::Outside& outside() noexcept;

  /// Works for the others until `stop` is requested, the search is done or the parent is lost, with
  /// whom those are lost that are behind it. Once, after join(). Suspends, or blocks an OS thread.
  HelpEnd help(std::stop_token stop);

  /// How many links there are now.
  std::size_t neighbours() const;
  ExchangeStatistics statistics() const;
  TreeStatistics links() const;

  /// Ends the search, which is not under way any more: tells the others that it is done, waits for
  /// what they tell of themselves, and returns who worked for whom when, as PartExchange::record()
  /// does. Who does not tell within `patience`, or was lost, is known as far as others have seen
  /// it. Once, where there is no parent. Suspends, or blocks an OS thread. \throws std::logic_error
  /// where there is one
  std::string end_and_record(std::string_view title,
                             std::chrono::milliseconds patience = std::chrono::seconds(10));

 private:
  struct Members;

  std::unique_ptr<Members> members_;
};

}  // namespace kumiko::cluster
