// Searches that several processes share: their parts go to whichever has nothing to do.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/detail/part_type.hpp>
#include <kumiko/runtime/search.hpp>

namespace kumiko::cluster {

/// A search whose parts may also be given to other processes, by a PartExchange: see
/// runtime::Search, whose program it runs unchanged. Beyond what that asks for:
///
/// - The workspace travels by its Packing; plain structs need none of their own. It can be
///   assigned.
/// - body, give, take and guard travel by their bytes: they are trivially copyable, and what they
///   capture are values. A captured reference to a local variable is refused, by std::logic_error
///   at the poll where a part would leave; captured addresses of other things are not noticed.
/// - What a part throws elsewhere arrives as PartError.
/// - Every process may do a part twice, or for nothing: if another one is lost. So what a part does
///   beside its workspace must bear that.
template <class Workspace>
using Search = runtime::Search<Workspace, detail::SentAsBytes>;

/// An exception that has escaped a part in another process: what it said.
class PartError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a process has asked for, given and taken so far.
struct ExchangeStatistics {
  std::uint64_t asks = 0;      ///< its own
  std::uint64_t refusals = 0;  ///< of these, answered by none
  std::uint64_t given = 0;     ///< parts that went to others
  std::uint64_t taken = 0;     ///< parts that came from others
  std::uint64_t again = 0;     ///< given away once more, since whoever had them was lost
  std::uint64_t late = 0;      ///< results that came after that, and were dropped
  std::uint64_t bytes = 0;     ///< of parts given and of results returned
  double seconds = 0;          ///< since it began; given / seconds and so on are the rates
};

/// Gives parts of searches to ranks that have nothing to do, and takes parts of theirs. Every rank
/// makes one; any of them may search, several at a time too.
///
///     PartExchange exchange(cluster);
///     if (cluster.rank() == 0) {
///       Search<Board> search(Board(15), exchange.outside());
///       place_from(search, 0);
///     }
///     exchange.leave();
///
/// *Who asks whom.* A rank of which a worker finds nothing for 50 us asks: in turn one that has a
/// part of its own, and another one, of its own machine first. After a refusal it waits, twice as
/// long each time up to 20 ms.
/// The one who is asked gives the upper half of the oldest choice at its next poll, as to a worker
/// of its own (one ask, one division).
///
/// *Lost ranks.* Who has given a part away keeps what it was made of, and does it again, or gives
/// it to another one, if the rank that has it is lost. So the result is right whichever ranks are
/// lost, as long as the one that searches is there.
///
/// *Life.* One serves all searches of a rank. Each that is made takes one of the few sources of
/// events that a Runtime may have (Runtime::attach()), until the Runtime ends.
///
/// *Bound.* Each process has one ask under way, and one part of another's for each that was
/// answered: in P workers of all processes at most 2 P G parts live, G the generations, as in one
/// process; what was given away takes its bytes at the giver too.
class PartExchange {
 public:
  /// All ranks are to make it. Suspends until they have. \throws RankLost; std::logic_error if two
  /// kinds of parts have one name, as in unnamed namespaces of two files, or this rank has one
  explicit PartExchange(Cluster& cluster);

  PartExchange(const PartExchange&) = delete;
  PartExchange& operator=(const PartExchange&) = delete;

  /// Leaves, after the searches that it was used for have been destroyed; also while an exception
  /// passes by.
  ~PartExchange();

  /// What a Search is to be constructed with, to share its parts.
  runtime::detail::Outside& outside() noexcept;

  /// Works for the others until all ranks have called this or are lost. Suspends. \throws
  /// std::logic_error if a search of this rank has parts elsewhere
  void leave();

  ExchangeStatistics statistics() const;

  /// Who worked for whom when, as text for a file search.json, which `kumiko report` draws: see
  /// docs/reference/files.md. On rank 0 after leave(). What a lost rank did is known as far as
  /// others have seen it. \throws std::logic_error elsewhere and before
  ///
  /// \param title  of the page
  std::string record(std::string_view title) const;

 private:
  struct Members;

  std::unique_ptr<Members> members_;
};

}  // namespace kumiko::cluster
