#include "record/exchange_log.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <kumiko/cluster/packing.hpp>

namespace kumiko::search::detail {

using Note = ExchangeEffects::Note;

void ExchangeLog::note(const Note& note, Moment now) {
  switch (note.what) {
    case Note::kGiven:
      return given(note, now);
    case Note::kBack:
    case Note::kAgain:
    case Note::kWithdrawn:
      return come_back(note, now);
    case Note::kTaken:
      return taken(note, now);
    case Note::kTold:
    case Note::kDropped:
      return ended(note, now);
  }
}

std::optional<std::uint32_t> ExchangeLog::index_of(const Way& other) {
  if (const auto known = numbers_.find(other); known != numbers_.end()) return known->second;
  if (numbers_.size() == kMostOthers) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(numbers_.size());
  numbers_.emplace(other, number);
  done_.others.push_back(other);
  done_.sums.emplace_back();
  return number;
}

void ExchangeLog::given(const Note& note, Moment now) {
  const auto other = index_of(note.other);
  if (!other) {
    ++done_.left_out;
    return;
  }
  LoggedSum& sum = done_.sums[*other];
  ++sum.given;
  sum.given_bytes += note.bytes;
  away_[note.part.slot] = {.begin = now.count(),
                           .bytes = note.bytes,
                           .other = *other,
                           .slot = note.part.slot,
                           .generation = note.part.generation,
                           .divisions = note.divisions,
                           .kind = LoggedPart::kGiven};
}

void ExchangeLog::come_back(const Note& note, Moment now) {
  const auto found = away_.find(note.part.slot);
  if (found == away_.end() || found->second.generation != note.part.generation) return;
  LoggedPart part = found->second;
  away_.erase(found);
  part.end = now.count();
  part.result_bytes = note.bytes;
  LoggedSum& sum = done_.sums[part.other];
  switch (note.what) {
    case Note::kBack:
      part.how = LoggedPart::kUsed;
      ++sum.used;
      sum.result_bytes += note.bytes;
      break;
    case Note::kAgain:
      part.how = LoggedPart::kAgain;
      ++sum.again;
      break;
    default:
      part.how = LoggedPart::kWithdrawn;
  }
  keep(part);
}

void ExchangeLog::taken(const Note& note, Moment now) {
  begin_activity(now);
  const auto other = index_of(note.other);
  if (other) {
    LoggedSum& sum = done_.sums[*other];
    ++sum.taken;
    sum.taken_bytes += note.bytes;
  }
  here_[note.run] = {.begin = now.count(),
                     .bytes = note.bytes,
                     .other = other.value_or(kMostOthers),
                     .slot = note.part.slot,
                     .generation = note.part.generation,
                     .divisions = note.divisions,
                     .kind = LoggedPart::kTaken};
}

void ExchangeLog::ended(const Note& note, Moment now) {
  const auto found = here_.find(note.run);
  if (found == here_.end()) return;
  end_activity(now);
  LoggedPart part = found->second;
  here_.erase(found);
  part.end = now.count();
  part.result_bytes = note.bytes;
  part.how = note.what == Note::kTold ? LoggedPart::kTold : LoggedPart::kDropped;
  if (part.other == kMostOthers) {
    ++done_.left_out;
    return;
  }
  LoggedSum& sum = done_.sums[part.other];
  sum.taken_time += part.end - part.begin;
  if (note.what == Note::kTold) {
    ++sum.told;
    sum.told_bytes += note.bytes;
  }
  keep(part);
}

void ExchangeLog::search_began(Moment now) {
  begin_activity(now);
  if (searches_++ == 0) search_.begin = now.count();
}

void ExchangeLog::search_ended(Moment now) {
  end_activity(now);
  if (--searches_ > 0) return;
  search_.end = now.count();
  keep(search_);
}

void ExchangeLog::keep(const LoggedPart& part) {
  if (done_.parts.size() == kMostParts) {
    ++done_.left_out;
  } else {
    done_.parts.push_back(part);
  }
}

void ExchangeLog::begin_activity(Moment now) noexcept {
  if (activities_++ == 0) active_since_ = now;
}

void ExchangeLog::end_activity(Moment now) noexcept {
  if (--activities_ == 0) active_ += now - active_since_;
}

ExchangeLog::Moment ExchangeLog::active(Moment now) const noexcept {
  return activities_ == 0 ? active_ : active_ + (now - active_since_);
}

ProcessLog ExchangeLog::log(Moment now, const RoundTrips& round_trips) const {
  ExchangeLog closed = *this;
  for (auto& [slot, part] : closed.away_) {
    part.end = now.count();
    closed.keep(part);
  }
  for (auto& [run, part] : closed.here_) {
    part.end = now.count();
    if (part.other == kMostOthers) {
      ++closed.done_.left_out;
      continue;
    }
    closed.done_.sums[part.other].taken_time += part.end - part.begin;
    closed.keep(part);
  }
  if (searches_ > 0) {
    closed.search_.end = now.count();
    closed.keep(closed.search_);
  }
  for (const auto& [other, trip] : round_trips.all()) {
    const auto number = closed.index_of(other);
    if (!number) continue;
    closed.done_.clocks.push_back(
        {.other = *number, .round_trip = trip.took.count(), .ahead = trip.ahead.count()});
  }
  closed.done_.begin = begin_.count();
  closed.done_.end = now.count();
  closed.done_.active = active(now).count();
  return std::move(closed.done_);
}

// --- As bytes ------------------------------------------------------------------------------------

namespace {

bool is_whole(const ProcessLog& log) {
  const auto is_known = [&](std::uint32_t other) { return other < log.others.size(); };
  return !log.others.empty() && log.others.front().empty() &&
         log.others.size() == log.sums.size() && log.parts.size() <= ExchangeLog::kMostParts &&
         std::all_of(log.parts.begin(), log.parts.end(),
                     [&](const LoggedPart& part) {
                       return is_known(part.other) && part.kind <= LoggedPart::kSearch &&
                              part.how <= LoggedPart::kDropped;
                     }) &&
         std::all_of(log.clocks.begin(), log.clocks.end(),
                     [&](const LoggedClock& clock) { return is_known(clock.other); });
}

}  // namespace

ProcessLog decode_log(std::span<const std::byte> bytes) {
  ProcessLog log;
  try {
    log = cluster::unpacked<ProcessLog>(bytes);
  } catch (const std::out_of_range&) {
    throw std::invalid_argument("this is not the log of a process: it is cut off");
  }
  if (!is_whole(log)) throw std::invalid_argument("this is not the log of a process");
  return log;
}

}  // namespace kumiko::search::detail
