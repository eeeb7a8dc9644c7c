// A part that was given away, and its result.
#pragma once

#include <cstdint>
#include <memory>

#include <kumiko/runtime/future.hpp>
#include <kumiko/runtime/search_core.hpp>
#include <kumiko/search/frame.hpp>

#include "core/exchange_message.hpp"
#include "core/part_store.hpp"

namespace kumiko::search::detail {

class Exchange;

/// The end of a part: its outcome, with the bytes of its workspace or of a message.
struct Delivered {
  Outcome outcome;
  std::shared_ptr<const Frame> bytes;
};

/// Receives the result of a part that was given away.
struct Delivery {
  Exchange* exchange = nullptr;
  runtime::SearchCore* search = nullptr;
  const runtime::SearchPart* giver = nullptr;  ///< lives as long as the part is in a slot
  std::uint64_t run = 0;                       ///< that of the giver's SearchPlace
  std::uint32_t slot = 0;
  runtime::Promise<Delivered> promise{};
  runtime::Future<Delivered> future = promise.get_future();
  PartStore* store = nullptr;  ///< keeps the result, if there is one
  PartKey key{};
};

}  // namespace kumiko::search::detail
