// A bitset whose members can be walked in a circle, from any one on.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kumiko::model {

class IndexSet {
 public:
  /// Makes an empty set of numbers below `bound`.
  explicit IndexSet(std::size_t bound) : words_((bound + 63) / 64) {}

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  bool contains(std::size_t index) const { return (words_[index / 64] >> (index % 64) & 1U) != 0; }

  void insert(std::size_t index) {
    if (contains(index)) return;
    words_[index / 64] |= std::uint64_t{1} << (index % 64);
    ++size_;
  }
  void erase(std::size_t index) {
    if (!contains(index)) return;
    words_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
    --size_;
  }

  /// The first member from `from` on, beginning anew after the last number. Not when empty.
  /// O(bound / 64).
  std::size_t next(std::size_t from) const {
    std::size_t word = from / 64;
    std::uint64_t bits = words_[word] & (~std::uint64_t{0} << (from % 64));
    while (bits == 0) {
      word = word + 1 == words_.size() ? 0 : word + 1;
      bits = words_[word];
    }
    return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

}  // namespace kumiko::model
