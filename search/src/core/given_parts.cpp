#include "core/given_parts.hpp"

#include <algorithm>

namespace kumiko::search::detail {

PartName GivenParts::add(Task task, std::shared_ptr<Delivery> delivery) {
  const auto free = std::find_if(slots_.begin(), slots_.end(),
                                 [](const Slot& slot) { return slot.state == Slot::kFree; });
  const auto index = static_cast<std::uint32_t>(free - slots_.begin());
  Slot& slot = free == slots_.end() ? slots_.emplace_back() : *free;
  slot.state = Slot::kPool;
  slot.task = std::move(task);
  slot.delivery = std::move(delivery);
  return name_of(index);
}

void GivenParts::send(std::uint32_t slot, const Way& taker, Moment now) {
  slots_[slot].state = Slot::kSent;
  slots_[slot].taker = taker;
  slots_[slot].given_at = now;
}

void GivenParts::to_pool(std::uint32_t slot) noexcept {
  ++slots_[slot].generation;
  slots_[slot].state = Slot::kPool;
  slots_[slot].taker.clear();
}

void GivenParts::free(std::uint32_t index) noexcept {
  Slot& slot = slots_[index];
  ++slot.generation;
  slot.state = Slot::kFree;
  slot.taker.clear();
  slot.task = {};
  slot.delivery.reset();
}

const GivenParts::Slot* GivenParts::find(PartName part, const Way& taker) const noexcept {
  if (part.slot >= slots_.size()) return nullptr;
  const Slot& slot = slots_[part.slot];
  const bool is_it =
      slot.state == Slot::kSent && slot.generation == part.generation && slot.taker == taker;
  return is_it ? &slot : nullptr;
}

std::optional<std::uint32_t> GivenParts::largest_in_pool() const noexcept {
  std::optional<std::uint32_t> largest;
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (slots_[i].state != Slot::kPool) continue;
    if (!largest || slots_[i].task.divisions < slots_[*largest].task.divisions) largest = i;
  }
  return largest;
}

std::optional<std::pair<Way, PartName>> GivenParts::next_held(Moment now, Moment age) noexcept {
  for (std::uint32_t i = 0; i < size(); ++i) {
    const std::uint32_t index = next_++ % size();
    const Slot& slot = slots_[index];
    if (slot.state == Slot::kSent && !slot.taker.empty() && now - slot.given_at >= age) {
      return std::pair(slot.taker, name_of(index));
    }
  }
  return std::nullopt;
}

void describe(const Way& way, std::vector<std::uint32_t>& out) {
  out.push_back(static_cast<std::uint32_t>(way.size()));
  out.insert(out.end(), way.begin(), way.end());
}

void describe(PartName part, std::vector<std::uint32_t>& out) {
  out.insert(out.end(), {part.slot, part.generation});
}

void GivenParts::describe(std::vector<std::uint32_t>& out) const {
  out.push_back(size());
  for (const Slot& slot : slots_) {
    out.insert(out.end(), {slot.state, slot.generation});
    detail::describe(slot.taker, out);
    out.push_back(static_cast<std::uint32_t>(slot.task.type));
  }
}

}  // namespace kumiko::search::detail
