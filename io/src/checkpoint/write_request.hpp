// The messages by which rank 0 lets other ranks write their records of a checkpoint.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <kumiko/cluster/described.hpp>

namespace kumiko::io {

using cluster::Item;

/// Requests that a rank writes its records.
struct WriteRequest {
  std::string file;
  std::uint64_t mark = 0;            ///< a number by which the file is known, which stands there
  std::uint64_t mark_place = 0;      ///< at this offset
  std::vector<std::uint64_t> rooms;  ///< where each level's records begin
};
constexpr auto described(std::type_identity<WriteRequest>) {
  using R = WriteRequest;
  return std::tuple(Item<&R::file>{}, Item<&R::mark>{}, Item<&R::mark_place>{}, Item<&R::rooms>{});
}

/// The answer to it.
struct WriteAnswer {
  bool found = false;                 ///< whether the file with its mark is there
  int error = 0;                      ///< as errno has it; 0: it is done
  std::vector<std::uint64_t> hashes;  ///< of the rank's parts, then of its records
};
constexpr auto described(std::type_identity<WriteAnswer>) {
  using A = WriteAnswer;
  return std::tuple(Item<&A::found>{}, Item<&A::error>{}, Item<&A::hashes>{});
}

}  // namespace kumiko::io
