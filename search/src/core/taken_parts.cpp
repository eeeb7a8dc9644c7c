#include "core/taken_parts.hpp"

#include <algorithm>
#include <utility>

#include "core/given_parts.hpp"

namespace kumiko::search::detail {

TakenParts::Taken& TakenParts::add(const Way& giver, PartName part) {
  return taken_.emplace_back(Taken{giver, part, ++last_run_});
}

std::optional<TakenParts::Taken> TakenParts::remove(std::uint64_t run) {
  Taken* const found = find(run);
  if (found == nullptr) return std::nullopt;
  Taken part = std::move(*found);
  taken_.erase(taken_.begin() + (found - taken_.data()));
  return part;
}

TakenParts::Taken* TakenParts::find(const Way& giver, PartName part) noexcept {
  const auto found = std::find_if(taken_.begin(), taken_.end(), [&](const Taken& each) {
    return each.part == part && each.giver == giver;
  });
  return found == taken_.end() ? nullptr : &*found;
}

TakenParts::Taken* TakenParts::find(std::uint64_t run) noexcept {
  const auto found = std::find_if(taken_.begin(), taken_.end(),
                                  [&](const Taken& each) { return each.run == run; });
  return found == taken_.end() ? nullptr : &*found;
}

void TakenParts::keep_result(const Way& giver, ExchangeMessage result) {
  if (results_.size() == kKept) results_.pop_front();
  results_.push_back({giver, std::move(result)});
}

const ExchangeMessage* TakenParts::result(const Way& giver, PartName part) const noexcept {
  const auto found = std::find_if(results_.begin(), results_.end(), [&](const Result& each) {
    return each.message.part == part && each.giver == giver;
  });
  return found == results_.end() ? nullptr : &found->message;
}

void TakenParts::keep_stop(const Way& giver, PartName part) {
  if (stops_.size() == kKept) stops_.pop_front();
  stops_.push_back({giver, part});
}

bool TakenParts::remove_stop(const Way& giver, PartName part) {
  return std::erase_if(stops_, [&](const Stop& stop) {
           return stop.part == part && stop.giver == giver;
         }) > 0;
}

void TakenParts::drop_all() noexcept {
  for (Taken& part : taken_) part.is_wanted = false;
}

void TakenParts::lost(const Way& way, std::vector<std::uint64_t>& unwanted) {
  std::erase_if(results_, [&](const Result& each) { return leads_through(each.giver, way); });
  std::erase_if(stops_, [&](const Stop& each) { return leads_through(each.giver, way); });
  for (Taken& part : taken_) {
    if (!part.is_wanted || part.giver.empty() || !leads_through(part.giver, way)) continue;
    part.is_wanted = false;
    unwanted.push_back(part.run);
  }
}

void TakenParts::describe(std::vector<std::uint32_t>& out) const {
  const auto number = [&](std::uint64_t value) {
    out.push_back(static_cast<std::uint32_t>(value));
  };
  number(taken_.size());
  for (const Taken& each : taken_) {
    detail::describe(each.giver, out);
    detail::describe(each.part, out);
    number(each.run);
    number(each.is_wanted ? 1 : 0);
  }
  number(results_.size());
  for (const Result& each : results_) {
    detail::describe(each.giver, out);
    detail::describe(*each.message.part, out);
    number(each.message.task.type);
  }
  number(stops_.size());
  for (const Stop& each : stops_) {
    detail::describe(each.giver, out);
    detail::describe(each.part, out);
  }
  number(last_run_);
}

}  // namespace kumiko::search::detail
