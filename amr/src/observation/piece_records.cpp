#include "observation/piece_records.hpp"

namespace kumiko::amr {

void PieceRecords::start(std::size_t workers) {
  lists_ = std::vector<List>(workers);
  memory_.clear();
  free_.clear();
  taken_.store(0, std::memory_order_relaxed);
}

void PieceRecords::make_room(std::size_t records) {
  // relaxed: nobody adds.
  free_.erase(free_.begin(), free_.begin() + static_cast<std::ptrdiff_t>(
                                                 taken_.exchange(0, std::memory_order_relaxed)));
  // Each worker's last chunk may be filled in part only.
  const std::size_t needed = records / kChunk + lists_.size();
  for (List& list : lists_) list.chunks.reserve(list.chunks.size() + needed);
  free_.reserve(needed);
  memory_.reserve(memory_.size() + needed);
  while (free_.size() < needed) {
    memory_.push_back(std::make_unique_for_overwrite<PieceRecord[]>(kChunk));
    free_.push_back(memory_.back().get());
  }
}

void PieceRecords::take_chunk(List& own) {
  // relaxed: the store was filled before the workers began; each entry is taken by one of them.
  own.next = free_[taken_.fetch_add(1, std::memory_order_relaxed)];
  own.end = own.next + kChunk;
  own.chunks.push_back(own.next);
}

PieceRecords::Ends PieceRecords::ends() const {
  Ends ends;
  for (const List& list : lists_) {
    ends.push_back(list.chunks.size() * kChunk - static_cast<std::size_t>(list.end - list.next));
  }
  return ends;
}

/// Chunks that have no record any more are not used again: only a window that has failed leaves
/// some.
void PieceRecords::cut(const Ends& ends) {
  for (std::size_t worker = 0; worker < lists_.size(); ++worker) {
    List& list = lists_[worker];
    list.chunks.resize((ends[worker] + kChunk - 1) / kChunk);
    if (list.chunks.empty()) {
      list.next = list.end = nullptr;
      continue;
    }
    list.end = list.chunks.back() + kChunk;
    list.next = list.end - static_cast<std::ptrdiff_t>(list.chunks.size() * kChunk - ends[worker]);
  }
}

}  // namespace kumiko::amr
