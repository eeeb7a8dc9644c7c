// Results of parts, and their receivers, for tests of an ExchangeState.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>

#include "core/exchange_state.hpp"

namespace kumiko::search::detail {

/// The run of the search itself, on process 0.
inline constexpr std::uint64_t kRoot = 0;

/// The receiver of a result, as an exchange keeps it: the number of a run in place of an address,
/// which the exchange does not use.
inline std::shared_ptr<Delivery> delivery_of(std::uint64_t run) {
  return {std::shared_ptr<void>(), reinterpret_cast<Delivery*>(run + 1)};
}

inline std::shared_ptr<const Frame> bytes_with(std::uint32_t count) {
  auto bytes = std::make_shared<Frame>(sizeof count);
  std::memcpy(bytes->data(), &count, sizeof count);
  return bytes;
}

}  // namespace kumiko::search::detail
