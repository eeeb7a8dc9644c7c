// What workers note down of the pieces they do while a trace is recorded.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <kumiko/amr/patch_id.hpp>
#include <kumiko/amr/trace.hpp>

namespace kumiko::amr {

/// A piece as the worker that did it has noted it down. Half a cache line, since what is written
/// here drives patches out of the caches.
struct PieceRecord {
  /// Stands for what is not known.
  static constexpr std::uint32_t kUnknownRunnable = (1U << 24U) - 1;
  static constexpr std::uint16_t kUnknownIo = UINT16_MAX;

  std::uint64_t begin;  ///< ticks; so the next
  std::uint64_t end;
  std::uint32_t slot;
  std::uint32_t number;  ///< of the level's step, since the window began
  std::uint32_t level : 6;
  std::uint32_t kind : 2;       ///< a PieceKind
  std::uint32_t runnable : 24;  ///< that many at least, where it is one less than unknown; so below
  std::uint16_t steals;         ///< since the worker's last piece; that many at least at the most
  std::uint16_t io_in_flight;

  void note_no_queues() {
    steals = 0;
    runnable = kUnknownRunnable;
    io_in_flight = kUnknownIo;
  }
};
static_assert(sizeof(PieceRecord) == 32);
static_assert(kLargestLevelCount < 64);

/// A list of records for each worker, which grows by chunks of one store: so workers neither
/// allocate nor share a cache line. add() may be called by each worker for its own list at once;
/// all else by the driver alone, while nobody adds, which the end of a window orders after all
/// that was added.
class PieceRecords {
 public:
  /// Where each worker's list ends.
  using Ends = std::vector<std::size_t>;

  /// Forgets all records.
  void start(std::size_t workers);
  /// Makes room for so many more, whoever adds them. Throws std::bad_alloc, with the lists as they
  /// were. O(chunks).
  void make_room(std::size_t records);
  /// There must be room. Writes one record; takes a chunk from the store at every 4096th.
  void add(std::size_t worker, const PieceRecord& record) {
    List& own = lists_[worker];
    if (own.next == own.end) take_chunk(own);
    *own.next++ = record;
  }

  std::size_t workers() const { return lists_.size(); }
  Ends ends() const;
  /// Takes back what was added since.
  void cut(const Ends& ends);
  /// A worker's records in the order in which they were added.
  const PieceRecord& at(std::size_t worker, std::size_t index) const {
    return lists_[worker].chunks[index / kChunk][index % kChunk];
  }

 private:
  static constexpr std::size_t kChunk = 4096;  ///< 128 KiB
  struct alignas(64) List {
    PieceRecord* next = nullptr;  ///< within the last chunk
    PieceRecord* end = nullptr;
    std::vector<PieceRecord*> chunks;
  };

  void take_chunk(List& own);

  std::vector<List> lists_;
  std::vector<std::unique_ptr<PieceRecord[]>> memory_;
  std::vector<PieceRecord*> free_;      ///< the store
  std::atomic<std::size_t> taken_ = 0;  ///< of the store, from its begin
};

}  // namespace kumiko::amr
