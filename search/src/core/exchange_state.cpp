#include "core/exchange_state.hpp"

#include <algorithm>
#include <utility>

namespace kumiko::search::detail {

using Note = ExchangeEffects::Note;
using Says = ExchangeMessage::Says;
using Slot = GivenParts::Slot;

namespace {

std::size_t byte_count(const std::shared_ptr<const Frame>& bytes) noexcept {
  return bytes == nullptr ? 0 : bytes->size();
}

}  // namespace

// --- The giver's side ----------------------------------------------------------------------------

bool ExchangeState::claim() noexcept {
  if (!has_open_asks()) return false;
  ++claimed_;
  return true;
}

PartName ExchangeState::give(Task task, std::shared_ptr<Delivery> delivery, Effects& effects) {
  if (claimed_ > 0) --claimed_;
  return offer(std::move(task), std::move(delivery), effects);
}

PartName ExchangeState::offer(Task task, std::shared_ptr<Delivery> delivery, Effects& effects) {
  const PartName part = given_.add(std::move(task), std::move(delivery));
  assign(effects);
  claimed_ = std::min(claimed_, asks_.size());
  if (given_[part.slot].state == Slot::kPool) effects.wakes = true;
  return part;
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

void ExchangeState::withdraw(std::uint32_t slot, const Delivery* delivery, Effects& effects) {
  if (slot >= given_.size()) return;
  const Slot& part = given_[slot];
  if (part.state == Slot::kFree || part.delivery.get() != delivery) return;
  if (part.state == Slot::kSent) {
    stop_slot(slot, effects);
    effects.notes.push_back({.what = Note::kWithdrawn, .part = given_.name_of(slot)});
  }
  given_.free(slot);
}

void ExchangeState::withdraw_all(Effects& effects) {
  for (std::uint32_t i = 0; i < given_.size(); ++i) {
    if (given_[i].state == Slot::kSent) {
      stop_slot(i, effects);
      to_pool(i, effects);
    }
    if (given_[i].state == Slot::kPool) stop_slot(i, effects);
  }
}

void ExchangeState::stop_slot(std::uint32_t index, Effects& effects) {
  const Slot& slot = given_[index];
  const PartName part = given_.name_of(index);
  if (slot.state == Slot::kPool) {
    effects.finishes.push_back({part, slot.delivery, Outcome::kNotBegun, nullptr});
    return given_.free(index);
  }
  if (slot.taker.empty()) {
    if (Taken* const own = taken_.find({}, part); own != nullptr) stop_taken(*own, effects);
  } else {
    effects.sends.push_back({slot.taker, {.kind = Says::kStop, .part = part}});
  }
}

void ExchangeState::stop_taken(Taken& part, Effects& effects) {
  part.is_stopped = true;
  effects.stops.push_back(part.run);
}

/// Sends the parts in the pool to the processes that ask, the largest part first.
void ExchangeState::assign(Effects& effects) {
  while (!asks_.empty()) {
    const std::optional<std::uint32_t> index = given_.largest_in_pool();
    if (!index) return;
    const Ask ask = std::move(asks_.front());
    asks_.pop_front();
    given_.send(*index, ask.from, now_);
    const PartName part = given_.name_of(*index);
    const Task& task = given_[*index].task;
    ++counts_.given;
    latest_[ask.from.front()] = task.divisions;
    counts_.bytes += byte_count(task.bytes);
    effects.notes.push_back({.what = Note::kGiven,
                             .part = part,
                             .other = ask.from,
                             .divisions = task.divisions,
                             .bytes = byte_count(task.bytes)});
    effects.sends.push_back(
        {ask.from, {.kind = Says::kPart, .ask = ask.number, .part = part, .task = task}});
  }
}

void ExchangeState::to_pool(std::uint32_t slot, Effects& effects) {
  effects.notes.push_back({.what = Note::kAgain, .part = given_.name_of(slot)});
  given_.to_pool(slot);
  ++counts_.again;
  effects.wakes = true;
}

void ExchangeState::answer_none(const Ask& ask, std::optional<PartName> unknown,
                                Effects& effects) const {
  effects.sends.push_back({ask.from, {.kind = Says::kNone, .ask = ask.number, .part = unknown}});
}

// --- The taker's side ----------------------------------------------------------------------------

bool ExchangeState::take_back(Effects& effects) {
  const std::optional<std::uint32_t> index = given_.largest_in_pool();
  if (!index) return false;
  given_.send(*index, {}, now_);
  const Taken& part = taken_.add({}, given_.name_of(*index));
  start(part, given_[*index].task, effects);
  return true;
}

void ExchangeState::ask(Way to, std::optional<PartName> waits_for, Effects& effects) {
  ++counts_.asks;
  asking_ = ++last_ask_;
  effects.sends.push_back(
      {std::move(to), {.kind = Says::kAsk, .ask = last_ask_, .part = waits_for}});
}

void ExchangeState::end(std::uint64_t run, Outcome outcome, std::shared_ptr<const Frame> bytes,
                        Effects& effects) {
  const std::optional<Taken> part = taken_.remove(run);
  if (!part) return;
  effects.notes.push_back({.what = part->is_wanted ? Note::kTold : Note::kDropped,
                           .run = run,
                           .bytes = part->is_wanted ? byte_count(bytes) : 0});
  if (!part->is_wanted) return;
  if (outcome == Outcome::kDone && part->stops_all) outcome = Outcome::kStopped;
  if (!part->giver.empty()) counts_.bytes += byte_count(bytes);
  ExchangeMessage result{.kind = Says::kResult,
                         .part = part->part,
                         .outcome = outcome,
                         .task = {.bytes = std::move(bytes)}};
  if (part->giver.empty()) return receive_result(part->giver, result, effects);
  effects.sends.push_back({part->giver, result});
  taken_.keep_result(part->giver, std::move(result));
}

void ExchangeState::stop_all(std::uint64_t run, Effects& effects) {
  Taken* const part = taken_.find(run);
  if (part == nullptr || !part->is_wanted || part->is_stopped) return;
  part->stops_all = true;
  const ExchangeMessage message{.kind = Says::kStopAll, .part = part->part};
  if (!part->giver.empty()) {
    effects.sends.push_back({part->giver, message});
  } else if (const Slot* const slot = given_.find(part->part, part->giver); slot != nullptr) {
    effects.stop_searches.push_back(slot->delivery);
  }
}

void ExchangeState::start(const Taken& part, const Task& task, Effects& effects) {
  effects.notes.push_back({.what = Note::kTaken,
                           .part = part.part,
                           .other = part.giver,
                           .run = part.run,
                           .divisions = task.divisions,
                           .bytes = byte_count(task.bytes)});
  effects.starts.push_back({part.run, task});
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

// --- Events --------------------------------------------------------------------------------------

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
    case Says::kNone:
      return receive_none(from, message, effects);
    case Says::kResult:
      return receive_result(from, message, effects);
    case Says::kStop:
      return receive_stop(from, message, effects);
    case Says::kStopAll:
      if (!message.part) return;
      if (const Slot* const slot = given_.find(*message.part, from); slot != nullptr) {
        effects.stop_searches.push_back(slot->delivery);
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
    case Says::kLog:
      return;
  }
}

void ExchangeState::receive_ask(const Way& from, const ExchangeMessage& message, bool can_give,
                                const std::optional<Way>& onward, Effects& effects) {
  const Ask ask{from, message.ask};
  if (message.part && taken_.find(from, *message.part) == nullptr) {
    if (const auto* const result = taken_.result(from, *message.part); result != nullptr) {
      effects.sends.push_back({from, *result});
      return answer_none(ask, std::nullopt, effects);
    }
    return answer_none(ask, message.part, effects);
  }
  // A process that asks again does not wait for an answer to its older ask any more.
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
  // An ask for a piece of one of the asker's own parts is not for other processes.
  if (onward && !message.part) {
    effects.sends.push_back({*onward, message, from});
  } else {
    answer_none(ask, std::nullopt, effects);
  }
}

void ExchangeState::receive_part(const Way& from, const ExchangeMessage& message,
                                 Effects& effects) {
  if (asking_ == message.ask) asking_.reset();
  if (!message.part || taken_.find(from, *message.part) != nullptr) return;
  if (taken_.result(from, *message.part) != nullptr) return;
  ++counts_.taken;
  latest_[from.front()] = message.task.divisions;
  Taken& part = taken_.add(from, *message.part);
  start(part, message.task, effects);
  if (taken_.remove_stop(from, *message.part)) stop_taken(part, effects);
}

void ExchangeState::receive_none(const Way& from, const ExchangeMessage& message,
                                 Effects& effects) {
  if (asking_ == message.ask) {
    asking_.reset();
    ++counts_.refusals;
    effects.refused = true;
  }
  latest_.erase(from.front());
  if (!message.part || given_.find(*message.part, from) == nullptr) return;
  to_pool(message.part->slot, effects);
  assign(effects);
}

void ExchangeState::receive_stop(const Way& from, const ExchangeMessage& message,
                                 Effects& effects) {
  if (!message.part) return;
  if (Taken* const part = taken_.find(from, *message.part); part != nullptr) {
    stop_taken(*part, effects);
  } else if (taken_.result(from, *message.part) == nullptr) {
    taken_.keep_stop(from, *message.part);
  }
}

void ExchangeState::receive_result(const Way& from, const ExchangeMessage& message,
                                   Effects& effects) {
  if (!message.part) return;
  const Slot* const slot = given_.find(*message.part, from);
  if (slot == nullptr) {
    ++counts_.late;
    return;
  }
  if (message.outcome == Outcome::kStopped) effects.stop_searches.push_back(slot->delivery);
  if (!from.empty()) {
    latest_.erase(from.front());
    effects.notes.push_back(
        {.what = Note::kBack, .part = *message.part, .bytes = byte_count(message.task.bytes)});
  }
  effects.finishes.push_back({*message.part, slot->delivery, message.outcome, message.task.bytes});
  given_.free(message.part->slot);
}

void ExchangeState::lost(const Way& way, Effects& effects) {
  lost_.push_back(way);
  std::erase_if(asks_, [&](const Ask& ask) { return leads_through(ask.from, way); });
  claimed_ = std::min(claimed_, asks_.size());
  taken_.lost(way, effects.stops);
  for (std::uint32_t i = 0; i < given_.size(); ++i) {
    const Slot& slot = given_[i];
    if (slot.state == Slot::kSent && !slot.taker.empty() && leads_through(slot.taker, way)) {
      to_pool(i, effects);
    }
  }
  if (way.size() == 1) latest_.erase(way.front());
  // The ask may have been passed on, so that its answer may be lost wherever the ask went first.
  if (asking_) {
    asking_.reset();
    effects.refused = true;
  }
  assign(effects);
}

void ExchangeState::describe(std::vector<std::uint32_t>& out) const {
  given_.describe(out);
  taken_.describe(out);
  out.push_back(static_cast<std::uint32_t>(asks_.size()));
  for (const Ask& ask : asks_) {
    detail::describe(ask.from, out);
    out.push_back(ask.number);
  }
  out.insert(out.end(), {static_cast<std::uint32_t>(claimed_), asking_.value_or(0), last_ask_});
}

}  // namespace kumiko::search::detail
