// A table of what is known of each descriptor, read without a lock and safe against reused numbers.
#pragma once

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>

#include "io/descriptor_kind.hpp"

namespace kumiko::runtime::detail {

/// What is known of a descriptor's number: what is behind it, and how often it was closed.
///
/// Of the two counters in state_ one, the generation, tells an operation that began before the
/// number was closed from those that are about what got the number afterwards. The other, the
/// version, keeps a classification from being stored when the descriptor may have changed
/// meanwhile: it moves before the descriptor is closed and after that, so whoever has looked at the
/// old file finds another version than the one it read before, or has its answer wiped out.
class DescriptorState {
 public:
  /// How often the number was closed; to be read before the descriptor is used.
  std::uint32_t generation() const noexcept {
    // acquire: pairs with the stores that close it; what the record then holds is about the new
    // one.
    return static_cast<std::uint32_t>(state_.load(std::memory_order_acquire) >> kGenerationShift);
  }

  /// What is behind it, or -errno. Cost but for the first time: one load.
  int kind(int descriptor, DescriptorKind& kind) noexcept {
    std::uint64_t seen = state_.load(std::memory_order_acquire);
    while ((kind = static_cast<DescriptorKind>(seen & kKindMask)) == DescriptorKind::kUnknown) {
      if (const int error = classify(descriptor, kind); error != 0) return error;
      const std::uint64_t known = seen | static_cast<std::uint64_t>(kind);
      if (state_.compare_exchange_strong(seen, known, std::memory_order_acq_rel)) break;
    }
    return 0;
  }

  /// Notes that the descriptor is about to be closed.
  void begin_close() noexcept { forget(std::uint64_t{1} << kGenerationShift); }

  /// Notes that the descriptor has been closed.
  void end_close() noexcept { forget(0); }

 private:
  static constexpr std::uint64_t kKindMask = 0xff;
  static constexpr unsigned kVersionShift = 8;
  static constexpr unsigned kGenerationShift = 32;
  static constexpr std::uint64_t kVersionMask = 0xffffff;

  void forget(std::uint64_t more) noexcept {
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    std::uint64_t next = 0;
    do {
      const std::uint64_t version = ((seen >> kVersionShift) + 1) & kVersionMask;
      next = (((seen + more) >> kGenerationShift) << kGenerationShift) | (version << kVersionShift);
    } while (!state_.compare_exchange_weak(seen, next, std::memory_order_acq_rel));
  }

  /// Bits 0..7: the kind, 8..31: the version, 32..63: the generation.
  std::atomic<std::uint64_t> state_{0};
};

/// A record, of type Entry, for each descriptor that has been used. It is found without a lock;
/// records stay until the table ends, so that a late look at one is harmless.
template <class Entry>
class DescriptorTable {
 public:
  ~DescriptorTable() {
    for (std::atomic<Block*>& block : blocks_) delete block.load(std::memory_order_relaxed);
  }

  /// The record of a descriptor; nullptr if it was never used.
  Entry* find(int descriptor) const noexcept {
    const auto number = static_cast<std::size_t>(descriptor);
    if (descriptor < 0 || number / kBlockSize >= kBlocks) return nullptr;
    // acquire: pairs with the release in get().
    Block* const block = blocks_[number / kBlockSize].load(std::memory_order_acquire);
    return block == nullptr ? nullptr : &(*block)[number % kBlockSize];
  }

  /// The record of a descriptor, made if need be; nullptr, and errno, if that is impossible.
  Entry* get(int descriptor) noexcept {
    if (Entry* const entry = find(descriptor); entry != nullptr) return entry;
    const auto number = static_cast<std::size_t>(descriptor);
    if (descriptor < 0 || number / kBlockSize >= kBlocks) {
      errno = EBADF;
      return nullptr;
    }
    auto* const made = new (std::nothrow) Block;
    if (made == nullptr) {
      errno = ENOMEM;
      return nullptr;
    }
    Block* expected = nullptr;
    // acq_rel: pairs with the acquire in find(); if another was quicker, with its release.
    if (!blocks_[number / kBlockSize].compare_exchange_strong(expected, made,
                                                              std::memory_order_acq_rel)) {
      delete made;
    }
    return find(descriptor);
  }

 private:
  static constexpr std::size_t kBlockSize = 256;
  static constexpr std::size_t kBlocks = 1U << 15U;  // descriptors up to 8,388,607
  using Block = std::array<Entry, kBlockSize>;

  std::array<std::atomic<Block*>, kBlocks> blocks_{};
};

}  // namespace kumiko::runtime::detail
