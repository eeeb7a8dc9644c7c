#include "core/exchange_message.hpp"

#include <algorithm>
#include <stdexcept>

#include <kumiko/cluster/packing.hpp>

namespace kumiko::cluster {

/// The bytes of a task, which may be missing.
template <>
struct Packing<std::shared_ptr<const Frame>> {
  static void pack(Writer& writer, std::shared_ptr<const Frame>& bytes) {
    std::optional<std::span<const std::byte>> all;
    if (bytes != nullptr) all = *bytes;
    Packing<std::optional<std::span<const std::byte>>>::pack(writer, all);
  }
  static std::shared_ptr<const Frame> unpack(Reader& reader) {
    const auto all = Packing<std::optional<std::span<const std::byte>>>::unpack(reader);
    return all ? std::make_shared<const Frame>(all->begin(), all->end()) : nullptr;
  }
};

}  // namespace kumiko::cluster

namespace kumiko::search::detail {

bool leads_through(const Way& way, const Way& first) noexcept {
  return way.size() >= first.size() && std::equal(first.begin(), first.end(), way.begin());
}

Frame encode(const ExchangeMessage& message) { return cluster::packed(message); }

ExchangeMessage decode(std::span<const std::byte> bytes) {
  using Says = ExchangeMessage::Says;
  try {
    auto message = cluster::unpacked<ExchangeMessage>(bytes);
    const bool wants_bytes =
        message.kind == Says::kPart || message.kind == Says::kLog ||
        (message.kind == Says::kResult && message.outcome != Outcome::kNotBegun);
    if (wants_bytes == (message.task.bytes != nullptr)) return message;
  } catch (const std::out_of_range&) {
    // It is cut off, or has a value that does not exist.
  }
  throw std::invalid_argument("this is not a message of an exchange");
}

}  // namespace kumiko::search::detail
