// Searches shared over TCP by processes that join and leave while the search runs.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <kumiko/search/search.hpp>
#include <kumiko/search/tree.hpp>

namespace kumiko::search {

/// The cause for which SearchTree::help() has returned.
struct HelpEnd {
  enum Why {
    kStopped,     ///< its stop token was used
    kSearchDone,  ///< the process that searches has ended the search
    kParentLost,  ///< the search may still be running
  };

  Why why = kStopped;
  std::string reason{};  ///< for which the parent is lost, as far as known
};

/// A process's place in a Tree of processes that share searches, like a PartExchange among ranks.
/// One process searches, and the others help:
///
///     SearchTree tree(runtime, {.secret = secret});
///     tree.listen(address);                            // the process that searches
///     Search<Board> search(Board(15), tree.outside());
///     place_from(search, 0);
///
///     SearchTree tree(runtime, {.secret = secret});
///     tree.join(address);                              // a process that helps
///     tree.help(stop_token);
///
/// A process that has joined and also listens is a relay, for processes that cannot reach the first
/// one. A request that a process cannot answer is passed on to another neighbour than the one that
/// sent it, usually towards the largest known part. Neighbours with short round trips are asked
/// first.
///
/// Parts given to a process that leaves or is lost are given away again, like those of lost ranks.
/// So the result is right whichever processes leave or die, except the one that searches.
///
/// The links have their own OS thread, so that they are served while all workers compute.
class SearchTree {
 public:
  /// A tree of this process alone. Options::program is set here. On any OS thread or lightweight
  /// thread. \throws what Tree throws; std::logic_error as PartExchange
  ///
  /// \param told  called with a line of text for each neighbour that joins or leaves, by
  ///     lightweight threads of the tree
  SearchTree(runtime::Runtime& runtime, TreeOptions options,
             std::function<void(const std::string& line)> told = {});

  SearchTree(const SearchTree&) = delete;
  SearchTree& operator=(const SearchTree&) = delete;

  /// Leaves. No search of this process may be in progress. A process without a parent tells the
  /// others that the search is done, unless it was interrupted. Each of these sends its parent a
  /// record of its work, after waiting a little for those of its children.
  ~SearchTree();

  /// The search is not done: it will be continued in another process, which the others may join.
  void interrupt() noexcept;

  /// As Tree::listen() and Tree::join().
  runtime::io::Address listen(const runtime::io::Address& address);
  void join(const runtime::io::Address& address);

  /// The argument with which a Search is constructed, to share its parts.
  Outside& outside() noexcept;

  /// Works on parts of the others until `stop` is requested, the search is done or the parent is
  /// lost; processes behind the parent are then lost too. Call it once, after join(). Suspends, or
  /// blocks an OS thread.
  HelpEnd help(std::stop_token stop);

  /// The current number of links.
  std::size_t neighbours() const;
  ExchangeStatistics statistics() const;
  TreeStatistics links() const;

  /// Ends a search that is no longer in progress: notifies the others that it is done, waits for
  /// their records, and returns which process worked for which and when, like
  /// PartExchange::record(). For processes that are lost or do not answer within `patience`, it has
  /// what others know. Call it once, in the process without a parent. Suspends, or blocks an OS
  /// thread. \throws std::logic_error if this process has a parent
  std::string end_and_record(std::string_view title,
                             std::chrono::milliseconds patience = std::chrono::seconds(10));

 private:
  struct Members;

  std::unique_ptr<Members> members_;
};

}  // namespace kumiko::search
