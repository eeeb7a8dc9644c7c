// Numbers out of messages of other ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <vector>

#include "sharing/mailbox.hpp"

namespace kumiko::amr {

/// Takes values from messages, one after the other of each sender.
class ReceivedNumbers {
 public:
  explicit ReceivedNumbers(std::vector<Mailbox::Message> messages) {
    for (Mailbox::Message& message : messages) {
      std::vector<double>& values = of_[message.from].values;
      values.resize(message.text.size() / sizeof(double));
      if (!values.empty()) std::memcpy(values.data(), message.text.data(), message.text.size());
    }
  }
  std::span<const double> take(std::int32_t from, std::size_t count) {
    Rest& rest = of_.at(from);
    const auto taken = std::span<const double>(rest.values).subspan(rest.at, count);
    rest.at += count;
    return taken;
  }

 private:
  struct Rest {
    std::vector<double> values;
    std::size_t at = 0;
  };
  std::map<std::int32_t, Rest> of_;
};

}  // namespace kumiko::amr
