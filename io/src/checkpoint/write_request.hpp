// The messages by which rank 0 lets other ranks write their records of a checkpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace kumiko::io {

/// Requests that a rank writes its records.
struct WriteRequest {
  std::string file;
  std::uint64_t mark = 0;            ///< a number by which the file is known, which stands there
  std::uint64_t mark_place = 0;      ///< at this offset
  std::vector<std::uint64_t> rooms;  ///< where each level's records begin
};

/// The answer to it.
struct WriteAnswer {
  bool found = false;                 ///< whether the file with its mark is there
  int error = 0;                      ///< as errno has it; 0: it is done
  std::vector<std::uint64_t> hashes;  ///< of the rank's parts, then of its records
};

namespace detail {

inline std::vector<std::byte> to_bytes(const std::vector<std::uint64_t>& numbers,
                                       const std::string& text = {}) {
  std::vector<std::byte> bytes(numbers.size() * sizeof(std::uint64_t) + text.size());
  const std::size_t end = bytes.size() - text.size();
  if (end != 0) std::memcpy(bytes.data(), numbers.data(), end);
  if (!text.empty()) std::memcpy(bytes.data() + end, text.data(), text.size());
  return bytes;
}

inline std::vector<std::uint64_t> to_numbers(std::span<const std::byte> bytes) {
  std::vector<std::uint64_t> numbers(bytes.size() / sizeof(std::uint64_t));
  if (!numbers.empty()) {
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(std::uint64_t));
  }
  return numbers;
}

}  // namespace detail

inline std::vector<std::byte> packed(const WriteRequest& request) {
  std::vector<std::uint64_t> numbers = {request.rooms.size(), request.mark, request.mark_place};
  numbers.insert(numbers.end(), request.rooms.begin(), request.rooms.end());
  return detail::to_bytes(numbers, request.file);
}

inline WriteRequest to_request(std::span<const std::byte> bytes) {
  constexpr std::size_t kBefore = 3;
  const std::vector<std::uint64_t> numbers = detail::to_numbers(bytes);
  const auto rooms = std::span(numbers).subspan(kBefore, numbers.front());
  const auto text = bytes.subspan((kBefore + rooms.size()) * sizeof(std::uint64_t));
  return {{reinterpret_cast<const char*>(text.data()), text.size()},
          numbers[1],
          numbers[2],
          {rooms.begin(), rooms.end()}};
}

inline std::vector<std::byte> packed(const WriteAnswer& answer) {
  std::vector<std::uint64_t> numbers = {answer.found ? 1U : 0U,
                                        static_cast<std::uint64_t>(answer.error)};
  numbers.insert(numbers.end(), answer.hashes.begin(), answer.hashes.end());
  return detail::to_bytes(numbers);
}

inline WriteAnswer to_answer(std::span<const std::byte> bytes) {
  constexpr std::ptrdiff_t kBefore = 2;
  const std::vector<std::uint64_t> numbers = detail::to_numbers(bytes);
  return {
      numbers[0] != 0, static_cast<int>(numbers[1]), {numbers.begin() + kBefore, numbers.end()}};
}

}  // namespace kumiko::io
