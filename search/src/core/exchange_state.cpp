#include "core/exchange_state.hpp"

#include <algorithm>
#include <utility>

namespace kumiko::search::detail {

using Says = ExchangeMessage::Says;

bool leads_through(const Way& way, const Way& first) noexcept {
  return way.size() >= first.size() && std::equal(first.begin(), first.end(), way.begin());
}

namespace {

std::size_t byte_count(const std::shared_ptr<const Frame>& bytes) noexcept {
  return bytes == nullptr ? 0 : bytes->size();
}

}  // namespace

// --- As a giver ----------------------------------------------------------------------------------

bool ExchangeState::claim() noexcept {
  if (!has_open_asks()) return false;
  ++claimed_;
  return true;
}

PartName ExchangeState::give(Task task, std::shared_ptr<Delivery> owner, Effects& effects) {
  if (claimed_ > 0) --claimed_;
  return offer(std::move(task), std::move(owner), effects);
}

PartName ExchangeState::offer(Task task, std::shared_ptr<Delivery> owner, Effects& effects) {
  const auto free = std::find_if(slots_.begin(), slots_.end(),
                                 [](const Slot& slot) { return slot.state == Slot::kFree; });
  const auto index = static_cast<std::uint32_t>(free - slots_.begin());
  Slot& slot = free == slots_.end() ? slots_.emplace_back() : *free;
  slot.state = Slot::kPool;
  slot.task = std::move(task);
  slot.owner = std::move(owner);
  const std::uint32_t generation = slot.generation;
  assign(effects);
  claimed_ = std::min(claimed_, asks_.size());
  if (slot.state == Slot::kPool) effects.wakes = true;
  return {index, generation};
}

void ExchangeState::decline(Effects& effects) {
  if (claimed_ > 0) --claimed_;
  if (asks_.empty()) return;
  answer_none(asks_.front(), std::nullopt, effects);
  asks_.pop_front();
}

void ExchangeState::decline_all(Effects& effects) {
  for (const Ask& ask : asks_) answer_none(ask, std::nullopt, effects);
  asks_.clear();
}

void ExchangeState::withdraw(std::uint32_t index, const Delivery* owner, Effects& effects) {
  if (index >= slots_.size()) return;
  Slot& slot = slots_[index];
  if (slot.state == Slot::kFree || slot.owner.get() != owner) return;
  if (slot.state == Slot::kSent) {
    stop_slot(index, effects);
    effects.notes.push_back({.what = Note::kWithdrawn, .part = {index, slot.generation}});
  }
  free(slot);
}

void ExchangeState::withdraw_all(Effects& effects) {
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].state == Slot::kSent) {
      stop_slot(i, effects);
      to_pool(i, effects);
    }
    if (slots_[i].state == Slot::kPool) stop_slot(i, effects);
  }
}

void ExchangeState::stop_slot(std::uint32_t index, Effects& effects) {
  Slot& slot = slots_[index];
  if (slot.state == Slot::kPool) {
    effects.finishes.push_back({{index, slot.generation}, slot.owner, Outcome::kNotBegun, nullptr});
    return free(slot);
  }
  const PartName part{index, slot.generation};
  if (slot.runner.empty()) {
    if (Taken* const own = taken({}, part); own != nullptr) stop_taken(*own, effects);
  } else {
    effects.sends.push_back({slot.runner, {.kind = Says::kStop, .part = part}});
  }
}

void ExchangeState::stop_taken(Taken& part, Effects& effects) {
  part.is_told = true;
  effects.stops.push_back(part.run);
}

std::uint32_t ExchangeState::largest_in_pool() const noexcept {
  auto largest = static_cast<std::uint32_t>(slots_.size());
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].state != Slot::kPool) continue;
    const bool is_larger =
        largest == slots_.size() || slots_[i].task.divisions < slots_[largest].task.divisions;
    if (is_larger) largest = i;
  }
  return largest;
}

/// Sends what is in the pool to those who ask, the largest part first.
void ExchangeState::assign(Effects& effects) {
  while (!asks_.empty()) {
    const std::uint32_t index = largest_in_pool();
    if (index == slots_.size()) return;
    Slot& slot = slots_[index];
    const Ask ask = std::move(asks_.front());
    asks_.pop_front();
    slot.state = Slot::kSent;
    slot.runner = ask.from;
    slot.given_at = now_;
    ++counts_.given;
    latest_[ask.from.front()] = slot.task.divisions;
    counts_.bytes += byte_count(slot.task.bytes);
    effects.notes.push_back({.what = Note::kGiven,
                             .part = {index, slot.generation},
                             .other = ask.from,
                             .divisions = slot.task.divisions,
                             .bytes = byte_count(slot.task.bytes)});
    effects.sends.push_back({ask.from,
                             {.kind = Says::kPart,
                              .ask = ask.number,
                              .part = PartName{index, slot.generation},
                              .task = slot.task}});
  }
}

void ExchangeState::to_pool(std::uint32_t index, Effects& effects) {
  Slot& slot = slots_[index];
  effects.notes.push_back({.what = Note::kAgain, .part = {index, slot.generation}});
  ++slot.generation;
  ++counts_.again;
  slot.state = Slot::kPool;
  slot.runner.clear();
  effects.wakes = true;
}

void ExchangeState::free(Slot& slot) noexcept {
  ++slot.generation;
  slot.state = Slot::kFree;
  slot.runner.clear();
  slot.task = {};
  slot.owner.reset();
}

ExchangeState::Slot* ExchangeState::find(PartName part, const Way* runner) noexcept {
  if (part.slot >= slots_.size()) return nullptr;
  Slot& slot = slots_[part.slot];
  const bool is_it =
      slot.state == Slot::kSent && slot.generation == part.generation && slot.runner == *runner;
  return is_it ? &slot : nullptr;
}

void ExchangeState::answer_none(const Ask& ask, std::optional<PartName> unknown,
                                Effects& effects) const {
  effects.sends.push_back({ask.from, {.kind = Says::kNone, .ask = ask.number, .part = unknown}});
}

// --- As a taker ----------------------------------------------------------------------------------

bool ExchangeState::take_back(Effects& effects) {
  const std::uint32_t index = largest_in_pool();
  if (index == slots_.size()) return false;
  Slot& slot = slots_[index];
  slot.state = Slot::kSent;
  slot.runner.clear();
  taken_.push_back({{}, {index, slot.generation}, ++last_run_});
  note_taken(taken_.back(), slot.task, effects);
  effects.starts.push_back({last_run_, slot.task});
  return true;
}

std::optional<std::pair<Way, PartName>> ExchangeState::holder(Moment age) noexcept {
  const auto count = static_cast<std::uint32_t>(slots_.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t index = next_holder_++ % count;
    const Slot& slot = slots_[index];
    if (slot.state == Slot::kSent && !slot.runner.empty() && now_ - slot.given_at >= age) {
      return std::pair(slot.runner, PartName{index, slot.generation});
    }
  }
  return std::nullopt;
}

void ExchangeState::ask(Way to, std::optional<PartName> waits_for, Effects& effects) {
  ++counts_.asks;
  asking_ = Asking{++last_ask_, to};
  effects.sends.push_back(
      {std::move(to), {.kind = Says::kAsk, .ask = last_ask_, .part = waits_for}});
}

void ExchangeState::end(std::uint64_t run, Outcome outcome, std::shared_ptr<const Frame> bytes,
                        Effects& effects) {
  const auto ended = std::find_if(taken_.begin(), taken_.end(),
                                  [&](const Taken& each) { return each.run == run; });
  if (ended == taken_.end()) return;
  const Taken part = std::move(*ended);
  taken_.erase(ended);
  effects.notes.push_back({.what = part.is_wanted ? Note::kTold : Note::kDropped,
                           .run = run,
                           .bytes = part.is_wanted ? byte_count(bytes) : 0});
  if (!part.is_wanted) return;
  if (outcome == Outcome::kDone && part.stops_all) outcome = Outcome::kStopped;
  if (!part.giver.empty()) counts_.bytes += byte_count(bytes);
  ExchangeMessage result{.kind = Says::kResult,
                         .part = part.part,
                         .outcome = outcome,
                         .task = {.bytes = std::move(bytes)}};
  if (part.giver.empty()) return receive_result(part.giver, result, effects);
  effects.sends.push_back({part.giver, result});
  if (kept_.size() == kKept) kept_.pop_front();
  kept_.push_back({part.giver, std::move(result)});
}

void ExchangeState::keep_results() noexcept {
  for (Taken& part : taken_) part.is_wanted = false;
}

void ExchangeState::stop_all(std::uint64_t run, Effects& effects) {
  const auto part = std::find_if(taken_.begin(), taken_.end(),
                                 [&](const Taken& each) { return each.run == run; });
  if (part == taken_.end() || !part->is_wanted || part->is_told) return;
  part->stops_all = true;
  const ExchangeMessage message{.kind = Says::kStopAll, .part = part->part};
  if (!part->giver.empty()) {
    effects.sends.push_back({part->giver, message});
  } else if (const Slot* const slot = find(part->part, &part->giver); slot != nullptr) {
    effects.stop_searches.push_back(slot->owner);
  }
}

void ExchangeState::note_taken(const Taken& part, const Task& task, Effects& effects) {
  effects.notes.push_back({.what = Note::kTaken,
                           .part = part.part,
                           .other = part.giver,
                           .run = part.run,
                           .divisions = task.divisions,
                           .bytes = byte_count(task.bytes)});
}

std::optional<std::uint16_t> ExchangeState::largest_behind(
    std::span<const std::uint16_t> neighbours) const noexcept {
  std::optional<std::uint16_t> largest;
  std::uint32_t fewest = 0;
  for (const std::uint16_t neighbour : neighbours) {
    const auto found = latest_.find(neighbour);
    if (found == latest_.end() || (largest && found->second >= fewest)) continue;
    largest = neighbour;
    fewest = found->second;
  }
  return largest;
}

ExchangeState::Taken* ExchangeState::taken(const Way& giver, PartName part) noexcept {
  const auto found = std::find_if(taken_.begin(), taken_.end(), [&](const Taken& each) {
    return each.part == part && each.giver == giver;
  });
  return found == taken_.end() ? nullptr : &*found;
}

const ExchangeState::Kept* ExchangeState::kept(const Way& giver, PartName part) const noexcept {
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& each) {
    return each.result.part == part && each.giver == giver;
  });
  return found == kept_.end() ? nullptr : &*found;
}

// --- What comes ----------------------------------------------------------------------------------

void ExchangeState::receive(const Way& from, const ExchangeMessage& message, bool can_give,
                            const std::optional<Way>& onward, Effects& effects) {
  if (std::any_of(lost_.begin(), lost_.end(),
                  [&](const Way& way) { return leads_through(from, way); })) {
    return;
  }
  switch (message.kind) {
    case Says::kAsk:
      return receive_ask(from, message, can_give, onward, effects);
    case Says::kPart:
      return receive_part(from, message, effects);
    case Says::kNone: {
      if (asking_ && asking_->number == message.ask) {
        asking_.reset();
        ++counts_.refusals;
        effects.refused = true;
      }
      latest_.erase(from.front());
      if (!message.part || find(*message.part, &from) == nullptr) return;
      to_pool(message.part->slot, effects);
      return assign(effects);
    }
    case Says::kResult:
      return receive_result(from, message, effects);
    case Says::kStop:
      if (!message.part) return;
      if (Taken* const part = taken(from, *message.part); part != nullptr) {
        stop_taken(*part, effects);
      } else if (kept(from, *message.part) == nullptr) {
        if (stopped_.size() == kKept) stopped_.pop_front();
        stopped_.push_back({from, *message.part});
      }
      return;
    case Says::kStopAll:
      if (!message.part) return;
      if (const Slot* const slot = find(*message.part, &from); slot != nullptr) {
        effects.stop_searches.push_back(slot->owner);
      }
      return;
    case Says::kGone: {
      Way way = from;
      way.insert(way.end(), message.way.begin(), message.way.end());
      return lost(way, effects);
    }
    case Says::kBegun:
      effects.wakes = true;
      return;
    case Says::kEnd:
    case Says::kRecord:
      return;
  }
}

void ExchangeState::receive_ask(const Way& from, const ExchangeMessage& message, bool can_give,
                                const std::optional<Way>& onward, Effects& effects) {
  const Ask ask{from, message.ask};
  if (message.part && taken(from, *message.part) == nullptr) {
    if (const Kept* const result = kept(from, *message.part); result != nullptr) {
      effects.sends.push_back({from, result->result});
      return answer_none(ask, std::nullopt, effects);
    }
    return answer_none(ask, message.part, effects);
  }
  // Who asks anew waits for no answer to an older ask.
  std::erase_if(asks_, [&](const Ask& each) { return each.from == from; });
  claimed_ = std::min(claimed_, asks_.size());
  asks_.push_back(ask);
  assign(effects);
  if (asks_.empty()) return;
  if (can_give) {
    effects.asked = true;
    return;
  }
  asks_.pop_back();
  claimed_ = std::min(claimed_, asks_.size());
  // An ask for a part of what the asker waits for is not for others.
  if (onward && !message.part) {
    effects.sends.push_back({*onward, message, from});
  } else {
    answer_none(ask, std::nullopt, effects);
  }
}

void ExchangeState::receive_part(const Way& from, const ExchangeMessage& message,
                                 Effects& effects) {
  if (asking_ && asking_->number == message.ask) asking_.reset();
  if (!message.part || taken(from, *message.part) != nullptr) return;
  if (kept(from, *message.part) != nullptr) return;
  ++counts_.taken;
  latest_[from.front()] = message.task.divisions;
  taken_.push_back({from, *message.part, ++last_run_});
  note_taken(taken_.back(), message.task, effects);
  effects.starts.push_back({last_run_, message.task});
  const auto is_this = [&](const Early& stop) {
    return stop.part == *message.part && stop.giver == from;
  };
  if (std::erase_if(stopped_, is_this) > 0) stop_taken(taken_.back(), effects);
}

void ExchangeState::receive_result(const Way& from, const ExchangeMessage& message,
                                   Effects& effects) {
  if (!message.part) return;
  Slot* const slot = find(*message.part, &from);
  if (slot == nullptr) {
    ++counts_.late;
    return;
  }
  if (message.outcome == Outcome::kStopped) effects.stop_searches.push_back(slot->owner);
  if (!from.empty()) {
    latest_.erase(from.front());
    effects.notes.push_back(
        {.what = Note::kBack, .part = *message.part, .bytes = byte_count(message.task.bytes)});
  }
  effects.finishes.push_back({*message.part, slot->owner, message.outcome, message.task.bytes});
  free(*slot);
}

void ExchangeState::lost(const Way& way, Effects& effects) {
  lost_.push_back(way);
  std::erase_if(asks_, [&](const Ask& ask) { return leads_through(ask.from, way); });
  claimed_ = std::min(claimed_, asks_.size());
  std::erase_if(kept_, [&](const Kept& kept) { return leads_through(kept.giver, way); });
  std::erase_if(stopped_, [&](const Early& stop) { return leads_through(stop.giver, way); });
  for (Taken& part : taken_) {
    if (!part.is_wanted || part.giver.empty() || !leads_through(part.giver, way)) continue;
    part.is_wanted = false;
    effects.stops.push_back(part.run);
  }
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.state == Slot::kSent && !slot.runner.empty() && leads_through(slot.runner, way)) {
      to_pool(i, effects);
    }
  }
  if (way.size() == 1) latest_.erase(way.front());
  // The ask may have been passed on, so that its answer is lost wherever it went.
  if (asking_) {
    asking_.reset();
    effects.refused = true;
  }
  assign(effects);
}

void ExchangeState::describe(std::vector<std::uint32_t>& out) const {
  const auto number = [&](std::uint64_t value) {
    out.push_back(static_cast<std::uint32_t>(value));
  };
  const auto way = [&](const Way& each) {
    number(each.size());
    for (const std::uint16_t link : each) number(link);
  };
  const auto part = [&](PartName name) {
    number(name.slot);
    number(name.generation);
  };
  number(slots_.size());
  for (const Slot& slot : slots_) {
    number(slot.state);
    number(slot.generation);
    way(slot.runner);
    number(slot.task.type);
  }
  number(taken_.size());
  for (const Taken& each : taken_) {
    way(each.giver);
    part(each.part);
    number(each.run);
    number(each.is_wanted ? 1 : 0);
  }
  number(kept_.size());
  for (const Kept& each : kept_) {
    way(each.giver);
    part(*each.result.part);
    number(each.result.task.type);
  }
  number(stopped_.size());
  for (const Early& each : stopped_) {
    way(each.giver);
    part(each.part);
  }
  number(asks_.size());
  for (const Ask& ask : asks_) {
    way(ask.from);
    number(ask.number);
  }
  number(claimed_);
  number(asking_ ? asking_->number : 0);
  number(last_ask_);
  number(last_run_);
}

}  // namespace kumiko::search::detail
