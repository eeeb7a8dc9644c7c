// A journal file of a search's results, so that the search can be continued later if its process
// ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include <kumiko/search/search.hpp>

namespace kumiko::search {

/// A journal cannot be used or written; the message names the file, the cause and the remedy.
class JournalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SearchJournalOptions {
  /// The search is divided into about 2^divisions parts, with 1 to 16 divisions. After a crash, the
  /// part that each worker was doing is lost. An existing file keeps its own number.
  unsigned divisions = 10;
  /// The interval at which results are written and synchronised to the device.
  std::chrono::milliseconds write_every{200};
  /// Called with a line about an error of the file that does not end the search, such as damaged
  /// results or a full disk. May be called by any thread.
  std::function<void(const std::string& line)> told{};
};

/// Counters of a journal.
struct SearchJournalStatistics {
  std::uint64_t on_file = 0;  ///< results in the file when it was opened
  std::uint64_t parts = 0;    ///< parts that the search is divided into, as far as known
  std::uint64_t found = 0;    ///< of these, in the file
  std::uint64_t done = 0;     ///< of these, done since
};

/// Keeps the results of a search's parts in a file, so that the searching process may be killed and
/// another process can continue the search:
///
///     SearchTree tree(runtime, {.secret = secret});        // or a PartExchange
///     SearchJournal journal(tree.outside(), "queens.journal", "queens 15");
///     Search<Board> search(Board(15), journal.outside());  // in place of tree.outside()
///     place_from(search, 0);
///     if (!search.stopped()) journal.finish();
///
/// *How.* The search is divided into parts before it begins, in a way that depends only on the
/// program. These parts are given to the processes, including the one that searches, which divide
/// them further as usual. A part's result is written to the file when it arrives. A part is
/// identified by its contents: the bytes of its workspace and of its captured values. So if the
/// same program searches with the same file, results in the file are used instead of doing their
/// parts again, in the serial program's order.
///
/// *Requirements.* The result of a part must depend only on its bytes. Padding bytes are ignored,
/// except those in the output of your own Packing and, in builds by clang, those of objects of more
/// than 1024 bytes or with unions. Loops whose bodies have no constructs are divided only down to
/// one index, which the process that searches does by itself: choose `divisions` so that there are
/// more indices than parts. Results of parts that were stopped early are not kept.
///
/// *The file.* It is created if it does not exist. A file with another description, of another
/// build of the program, or in use by another process is refused. Parts with damaged results are
/// done again.
///
/// *Cost.* The bytes of parts and their results are kept in memory, and each index that is divided
/// further has a lightweight thread. An OS thread writes, so that no worker waits for a device. A
/// remote process waits a round trip for each part.
class SearchJournal {
 public:
  /// \param outside  of a SearchTree or a PartExchange, which must outlive the journal
  /// \param what  the caller's description of the search; a file with another description is
  /// refused \throws JournalError, and std::invalid_argument for divisions outside 1 to 16
  SearchJournal(Outside& outside, const std::filesystem::path& file, const std::string& what,
                SearchJournalOptions options = {});

  SearchJournal(const SearchJournal&) = delete;
  SearchJournal& operator=(const SearchJournal&) = delete;

  /// Writes the remaining results. The searches that used it must have been destroyed.
  ~SearchJournal();

  /// The argument with which a Search is constructed, to keep its results.
  Outside& outside() noexcept;

  /// Records that the search has ended without being stopped.
  void finish();
  /// Returns whether the file was that of a finished search when it was opened.
  bool was_finished() const noexcept;

  SearchJournalStatistics statistics() const;

 private:
  struct Members;

  std::unique_ptr<Members> members_;
};

}  // namespace kumiko::search
