// Searches that several processes share: parts are given to processes that have no work.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/runtime/search.hpp>
#include <kumiko/search/detail/part_type.hpp>

namespace kumiko::search {

/// A search whose parts may also be given to other processes, by a PartExchange. It runs programs
/// for runtime::Search unchanged, with these additional requirements:
///
/// - The workspace is sent by its Packing, which plain structs need not define. It must be
///   assignable.
/// - body, give, take and guard are sent as bytes: they must be trivially copyable and capture
///   values only. If one has captured a reference to a local variable, the poll at which a part
///   would be sent throws std::logic_error. Captured addresses of other objects are not noticed.
/// - An exception of a part in another process is thrown as PartError.
/// - If a process is lost, parts may be done twice or in vain. Side effects of a part outside its
///   workspace must allow this.
template <class Workspace>
using Search = runtime::Search<Workspace, detail::SentAsBytes>;

/// An exception that has escaped a part in another process, with its message.
class PartError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Counters of the parts that a process has asked for, given and taken so far.
struct ExchangeStatistics {
  std::uint64_t asks = 0;      ///< requests for parts by this process
  std::uint64_t refusals = 0;  ///< of these, requests answered without a part
  std::uint64_t given = 0;     ///< parts given to others
  std::uint64_t taken = 0;     ///< parts taken from others
  std::uint64_t again = 0;  ///< parts given away again because the process that had them was lost
  std::uint64_t late = 0;   ///< results that arrived after that and were dropped
  std::uint64_t bytes = 0;  ///< of parts given and of results returned
  double seconds = 0;       ///< since it began; given / seconds and so on are the rates
};

/// Gives parts of searches to ranks without work, and takes parts of their searches. Every rank
/// makes one. Any rank may search, also several at the same time.
///
///     PartExchange exchange(cluster);
///     if (cluster.rank() == 0) {
///       Search<Board> search(Board(15), exchange.outside());
///       place_from(search, 0);
///     }
///     exchange.leave();
///
/// *Requests.* If a worker of a rank finds no work for 50 us, the rank asks another one for a part:
/// alternately a rank that has one of its parts, and any other, those on its own machine first.
/// After a refusal it waits, each time twice as long, up to 20 ms. A rank that is asked gives away
/// the upper half of the oldest choice at its next poll, as it does to its own workers (one
/// request, one division).
///
/// *Lost ranks.* A rank that has given a part away keeps a copy of the part. If the rank that has
/// the part is lost, it does the part itself or gives it to another rank. So the result is right
/// whichever ranks are lost, as long as the rank that searches is not.
///
/// *Lifetime.* One exchange serves all searches of a rank. Each exchange uses one of the few event
/// sources that a Runtime may have (Runtime::attach()), until the Runtime ends.
///
/// *Bound.* Each rank has one request in progress, and one part of another rank for each request
/// that was answered. So with P workers on all ranks at most 2 P G parts exist, where G is the
/// number of generations, as in one process. The giver also keeps the bytes of each part given
/// away.
class PartExchange {
 public:
  /// All ranks must construct one. Suspends until they have. \throws RankLost; std::logic_error if
  /// two types of parts have the same name, as in unnamed namespaces of two files
  explicit PartExchange(cluster::Cluster& cluster);

  PartExchange(const PartExchange&) = delete;
  PartExchange& operator=(const PartExchange&) = delete;

  /// Leaves. The searches that used it must have been destroyed. Also leaves during stack
  /// unwinding.
  ~PartExchange();

  /// The argument with which a Search is constructed, to share its parts.
  Outside& outside() noexcept;

  /// Works on parts of the other ranks until all ranks have called this or are lost. Suspends.
  /// \throws std::logic_error if a search of this rank has parts elsewhere
  void leave();

  ExchangeStatistics statistics() const;

  /// The record of which rank worked for which and when, as text for a file search.json, which
  /// `kumiko report` draws (see docs/reference/files.md). Only on rank 0, after leave(). For a lost
  /// rank it has what other ranks know. \throws std::logic_error on other ranks, and before leave()
  ///
  /// \param title  of the page
  std::string record(std::string_view title) const;

 private:
  struct Members;

  std::unique_ptr<Members> members_;
};

}  // namespace kumiko::search
