#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <kumiko/cluster/program.hpp>
#include <kumiko/search/search_journal.hpp>

#include "core/or_end.hpp"
#include "exchange/exchange.hpp"
#include "journal/journal_file.hpp"

namespace kumiko::search {

namespace detail {

/// Takes results immediately, and writes them in an OS thread of its own.
///
/// *Threads.* The results that the file had are only read. All else is guarded. No thread suspends
/// or waits for the device while it holds the mutex, so a worker waits at most for a few
/// instructions of another thread.
class JournalStore final : public PartStore {
 public:
  JournalStore(const std::filesystem::path& path, JournalHead head, SearchJournalOptions options)
      : options_(std::move(options)), file_(path, std::move(head)) {
    if (options_.told && file_.damaged_bytes() > 0) {
      options_.told("the journal '" + path.string() +
                    "': " + std::to_string(file_.damaged_bytes()) +
                    " bytes are damaged and left out; their parts are done again");
    }
    if (options_.told && file_.repaired_bytes() > 0) {
      options_.told("the journal '" + path.string() +
                    "': " + std::to_string(file_.repaired_bytes()) +
                    " bytes of its beginning were damaged and are written anew; nothing is lost");
    }
    statistics_.on_file = file_.results().size() - (was_finished() ? 1 : 0);
    writes_ =
        std::jthread([this](const std::stop_token& ended) { or_end([&] { write_until(ended); }); });
  }

  unsigned divisions() const noexcept { return file_.head().divisions; }
  bool was_finished() const noexcept { return file_.results().contains(kFinished); }
  /// Marks the search as finished.
  void finish() {
    if (was_finished()) return;
    const std::lock_guard lock(mutex_);
    unwritten_.push_back({kFinished, std::make_shared<const Frame>()});
  }

  std::shared_ptr<const Frame> find(const PartKey& key) override {
    const auto found = file_.results().find(key);
    const bool is_found = found != file_.results().end();
    const std::lock_guard lock(mutex_);
    ++statistics_.parts;
    if (!is_found) return nullptr;
    ++statistics_.found;
    return found->second;
  }
  void keep(const PartKey& key, std::shared_ptr<const Frame> result) override {
    const std::lock_guard lock(mutex_);
    ++statistics_.done;
    unwritten_.push_back({key, std::move(result)});
  }

  SearchJournalStatistics statistics() const {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }

 private:
  /// The key of the mark that the search is finished.
  static constexpr PartKey kFinished{};

  void write_until(const std::stop_token& ended) {
    std::vector<JournalEntry> entries;
    bool is_last = false;
    while (!is_last) {
      {
        std::unique_lock lock(mutex_);
        wakes_.wait_for(lock, ended, options_.write_every, [] { return false; });
        is_last = ended.stop_requested();
        entries.insert(entries.end(), unwritten_.begin(), unwritten_.end());
        unwritten_.clear();
      }
      if (!entries.empty()) write(entries);
    }
  }

  /// Entries that cannot be written stay in `entries`.
  void write(std::vector<JournalEntry>& entries) {
    try {
      file_.append(entries);
      entries.clear();
      if (std::exchange(is_troubled_, false)) tell_of_trouble("it can be written again");
    } catch (const JournalError& error) {
      if (std::exchange(is_troubled_, true)) return;
      tell_of_trouble(error.what());
    }
  }

  void tell_of_trouble(const std::string& line) const {
    if (options_.told) options_.told(line);
  }

  const SearchJournalOptions options_;
  JournalFile file_;          ///< only the writing thread may change it
  bool is_troubled_ = false;  ///< used by the writing thread only
  mutable std::mutex mutex_;  ///< guards the next two members
  std::vector<JournalEntry> unwritten_;
  SearchJournalStatistics statistics_;
  std::condition_variable_any wakes_;
  std::jthread writes_;  ///< last, since it must end first
};

}  // namespace detail

struct SearchJournal::Members {
  Members(detail::Exchange& exchange, const std::filesystem::path& path, detail::JournalHead head,
          SearchJournalOptions options)
      : store(path, std::move(head), std::move(options)),
        parts(exchange, store),
        whole(exchange, store.divisions(), parts) {}

  detail::JournalStore store;
  detail::SearchPlace parts;
  detail::SearchPlace whole;
};

SearchJournal::SearchJournal(Outside& outside, const std::filesystem::path& file,
                             const std::string& what, SearchJournalOptions options) {
  if (options.divisions < 1 || options.divisions > detail::kMostDivisions) {
    throw std::invalid_argument("SearchJournalOptions::divisions is " +
                                std::to_string(options.divisions) + "; take 1 to " +
                                std::to_string(detail::kMostDivisions));
  }
  detail::Exchange& exchange = outside.exchange();
  detail::JournalHead head{cluster::program_id(), what, options.divisions};
  members_ = std::make_unique<Members>(exchange, file, std::move(head), std::move(options));
  exchange.begin();
}

SearchJournal::~SearchJournal() = default;

Outside& SearchJournal::outside() noexcept { return members_->whole; }

void SearchJournal::finish() { members_->store.finish(); }

bool SearchJournal::was_finished() const noexcept { return members_->store.was_finished(); }

SearchJournalStatistics SearchJournal::statistics() const { return members_->store.statistics(); }

}  // namespace kumiko::search
