// A file that keeps what a search has found, so that a process that ends before it goes on later.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include <kumiko/cluster/search.hpp>

namespace kumiko::cluster {

/// A journal that cannot be used or written: which, why, and what to do.
class JournalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SearchJournalOptions {
  /// The search is divided into some 2^divisions parts, 1 to 16. Each is what a crash costs for
  /// each worker that was at one. A file that is gone on from keeps its own number.
  unsigned divisions = 10;
  /// How often results are written, and the device made to have them.
  std::chrono::milliseconds write_every{200};
  /// Called with a line about what is wrong with the file and does not end the search: results that
  /// are damaged, a disk that is full. By any thread.
  std::function<void(const std::string& line)> told{};
};

/// What a journal has done so far.
struct SearchJournalStatistics {
  std::uint64_t on_file = 0;  ///< results that the file had when it was opened
  std::uint64_t parts = 0;    ///< that the search is divided into, as far as that is known
  std::uint64_t found = 0;    ///< of these, in the file
  std::uint64_t done = 0;     ///< of these, done since
};

/// Keeps results of a search's parts in a file, so that a process that searches may be killed, and
/// another one goes on:
///
///     SearchTree tree(runtime, {.secret = secret});        // or a PartExchange
///     SearchJournal journal(tree.outside(), "queens.journal", "queens 15");
///     Search<Board> search(Board(15), journal.outside());  // in place of tree.outside()
///     place_from(search, 0);
///     if (!search.stopped()) journal.finish();
///
/// *How.* The search divides itself into parts before it begins, in a way that depends on the
/// program only. These are what processes are given, the one that searches too; they divide them
/// further as ever. A part's result goes to the file when it has come. A part is known again by
/// what it is made of: the bytes of its workspace and of what it has captured. So where the same
/// program searches with the same file, what it has is taken from there in place of being done, in
/// the serial program's order.
///
/// *What the program must see to.* Parts are functions of their bytes. Padding bytes do not
/// count, but for those within what a Packing of yours writes, and by clang's builds for those of
/// objects of more than 1024 bytes or with unions. Loops whose bodies have no constructs are
/// divided only down to one index, which the process that searches does by itself: choose
/// `divisions` so that there are more indices than parts. Results of parts that a stop has ended
/// early are not kept.
///
/// *Whose file.* It is made where there is none. One of other words or of another build of the
/// program is refused, and so is one that another process uses. Damaged results are done again.
///
/// *Cost.* Parts and their results have their bytes in memory, and each index that is divided
/// further has a lightweight thread. An OS thread writes, so that no worker waits for a device. A
/// process that is far away waits a round trip for each part.
class SearchJournal {
 public:
  /// \param outside  of a SearchTree or a PartExchange, which lives longer
  /// \param what  the caller's words for what is searched: a file of other ones is refused
  /// \throws JournalError, std::invalid_argument for other divisions than 1 to 16
  SearchJournal(runtime::detail::Outside& outside, const std::filesystem::path& file,
                const std::string& what, SearchJournalOptions options = {});

  SearchJournal(const SearchJournal&) = delete;
  SearchJournal& operator=(const SearchJournal&) = delete;

  /// After the searches that it was used for. Writes what is left to be written.
  ~SearchJournal();

  /// What a Search is to be constructed with, to be kept.
  runtime::detail::Outside& outside() noexcept;

  /// The search has ended, and nothing has stopped it.
  void finish();
  /// Whether the file was that of a finished search when it was opened.
  bool was_finished() const noexcept;

  SearchJournalStatistics statistics() const;

 private:
  struct Members;

  std::unique_ptr<Members> members_;
};

}  // namespace kumiko::cluster
