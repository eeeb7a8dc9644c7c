// Results of parts that outlive the process, by what the parts are made of.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include <kumiko/search/frame.hpp>

#include "core/exchange_state.hpp"

namespace kumiko::search::detail {

/// Names a part by a hash of its code's name and of all that it works on: parts of one key have one
/// result. No two others are ever seen to have one (BLAKE2b).
using PartKey = std::array<std::byte, 16>;

/// The key of what is done for a part.
PartKey key_of(const Task& task);

/// Where results of parts are kept. By any thread; neither suspends nor waits for a device.
class PartStore {
 public:
  PartStore() = default;
  PartStore(const PartStore&) = delete;
  PartStore& operator=(const PartStore&) = delete;

  /// The result of this part; nullptr if it is not known. Called once for each part.
  virtual std::shared_ptr<const Frame> find(const PartKey& key) = 0;
  /// A part that was looked for has ended with this result.
  virtual void keep(const PartKey& key, std::shared_ptr<const Frame> result) = 0;

 protected:
  ~PartStore() = default;
};

}  // namespace kumiko::search::detail
