// Numbers out of messages of other ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <kumiko/cluster/packing.hpp>

#include "sharing/mailbox.hpp"

namespace kumiko::amr {

/// Takes values from messages, one after the other of each sender.
class ReceivedNumbers {
 public:
  explicit ReceivedNumbers(std::vector<Mailbox::Message> messages)
      : messages_(std::move(messages)) {
    for (const Mailbox::Message& message : messages_) {
      readers_.emplace(message.from, cluster::Reader(message.text));
    }
  }
  /// \throws std::out_of_range if the rank has sent fewer
  std::span<const double> take(std::int32_t from, std::size_t count) {
    const std::byte* const bytes =
        readers_.at(from).take_elements(count, sizeof(double), alignof(double));
    return {reinterpret_cast<const double*>(bytes), count};
  }

 private:
  std::vector<Mailbox::Message> messages_;
  std::map<std::int32_t, cluster::Reader> readers_;
};

}  // namespace kumiko::amr
