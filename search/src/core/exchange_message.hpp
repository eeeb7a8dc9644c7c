// The messages of an exchange as bytes.
#pragma once

#include <cstddef>
#include <span>

#include "core/exchange_state.hpp"

namespace kumiko::search::detail {

Frame encode(const ExchangeMessage& message);

/// \throws std::invalid_argument if these are not a message
ExchangeMessage decode(std::span<const std::byte> bytes);

}  // namespace kumiko::search::detail
