// A store of results of parts that outlives the process, with hashes of the parts as keys.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include <kumiko/search/frame.hpp>

#include "core/exchange_message.hpp"

namespace kumiko::search::detail {

/// Names a part by a hash of its code's name and of all its input, so that parts with the same key
/// have the same result. The hash is BLAKE2b, so that no collision is to be expected.
using PartKey = std::array<std::byte, 16>;

/// The key of a part.
PartKey key_of(const Task& task);

/// Keeps results of parts. Any thread may call its functions, which neither suspend nor wait for a
/// device.
class PartStore {
 public:
  PartStore() = default;
  PartStore(const PartStore&) = delete;
  PartStore& operator=(const PartStore&) = delete;

  /// The result of this part; nullptr if it is not known. Called once for each part.
  virtual std::shared_ptr<const Frame> find(const PartKey& key) = 0;
  /// A part that find() did not find has ended with this result.
  virtual void keep(const PartKey& key, std::shared_ptr<const Frame> result) = 0;

 protected:
  ~PartStore() = default;
};

}  // namespace kumiko::search::detail
