#include "record/search_record.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include <kumiko/cluster/packing.hpp>

namespace kumiko::search::detail {

namespace {

using Json = nlohmann::ordered_json;
using Nanoseconds = std::int64_t;

Nanoseconds own_clock() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Returns the way to the process that is at `step`, seen from the process at `at`.
Way way_from(const Way& at, const Way& step, Ways ways) {
  if (ways == Ways::kRanks) return step.empty() ? at : step;
  Way way = at;
  for (const std::uint16_t link : step) {
    if (link != 0) {
      way.push_back(link);
    } else if (!way.empty()) {
      way.pop_back();
    }
  }
  return way;
}

std::string name_of_process(const Way& at, Ways ways) {
  if (ways == Ways::kRanks) return "rank " + std::to_string(at.front());
  std::string name;
  for (const std::uint16_t link : at) {
    name += (name.empty() ? "" : ":") + std::to_string(link);
  }
  return name.empty() ? "root" : name;
}

/// A part as its giver and its taker have logged it.
struct SeenPart {
  const LoggedPart* given = nullptr;
  const LoggedPart* taken = nullptr;
};

/// Joins the logs of all processes.
class SearchRecord {
 public:
  SearchRecord(std::vector<ReceivedLog> logs, Ways ways) : logs_(std::move(logs)), ways_(ways) {
    std::sort(logs_.begin() + 1, logs_.end(),
              [](const ReceivedLog& one, const ReceivedLog& other) { return one.at < other.at; });
    for (const ReceivedLog& each : logs_) number_of(each.at);
    for (const ReceivedLog& each : logs_) {
      auto& numbers = others_.emplace_back();
      for (const Way& other : each.log.others) {
        numbers.push_back(number_of(way_from(each.at, other, ways_)));
      }
    }
    set_clocks();
    set_times();
  }

  Json json(std::string_view title) const {
    return {{"kind", "kumiko search"},
            {"version", 1},
            {"title", title},
            {"seconds", seconds(end_ - begin_)},
            {"processes", processes_json()},
            {"pairs", pairs_json()},
            {"searches", searches_json()},
            {"parts", parts_json()}};
  }

 private:
  struct Clock {
    std::optional<Nanoseconds> within;  ///< nullopt if not known
    Nanoseconds behind = 0;             ///< added to a time, it gives the first process's time
  };

  std::size_t number_of(const Way& at) {
    const auto [found, is_new] = numbers_.try_emplace(at, ways_of_.size());
    if (is_new) ways_of_.push_back(at);
    return found->second;
  }

  /// Dijkstra's algorithm over the pairs of clocks that were compared, in either direction.
  void set_clocks() {
    clocks_.resize(ways_of_.size());
    clocks_.front().within = 0;
    std::vector<bool> is_final(clocks_.size());
    while (const std::optional<std::size_t> next = nearest(is_final)) {
      is_final[*next] = true;
      for_each_clock([&](std::size_t from, std::size_t to, const LoggedClock& clock) {
        if (from == *next) improve(to, *next, clock.round_trip, -clock.ahead);
        if (to == *next) improve(from, *next, clock.round_trip, clock.ahead);
      });
    }
    for (std::size_t p = 0; p < logs_.size(); ++p) {
      if (!clocks_[p].within) clocks_[p].behind = logs_[p].arrived - logs_[p].sent_at;
    }
  }

  std::optional<std::size_t> nearest(const std::vector<bool>& is_final) const {
    std::optional<std::size_t> nearest;
    for (std::size_t p = 0; p < clocks_.size(); ++p) {
      if (is_final[p] || !clocks_[p].within) continue;
      if (!nearest || *clocks_[p].within < *clocks_[*nearest].within) nearest = p;
    }
    return nearest;
  }

  template <class Do>
  void for_each_clock(Do each) const {
    for (std::size_t p = 0; p < logs_.size(); ++p) {
      for (const LoggedClock& clock : logs_[p].log.clocks) {
        each(p, others_[p][clock.other], clock);
      }
    }
  }

  void improve(std::size_t process, std::size_t by, Nanoseconds round_trip, Nanoseconds more) {
    const Nanoseconds within = *clocks_[by].within + round_trip / 2;
    Clock& clock = clocks_[process];
    if (clock.within && *clock.within <= within) return;
    clock = {within, clocks_[by].behind + more};
  }

  /// The time from the begin of the first search of the first process to the end of its last one.
  void set_times() {
    const ProcessLog& first = logs_.front().log;
    begin_ = std::numeric_limits<Nanoseconds>::max();
    end_ = std::numeric_limits<Nanoseconds>::min();
    for (const LoggedPart& part : first.parts) {
      if (part.kind != LoggedPart::kSearch) continue;
      begin_ = std::min(begin_, part.begin);
      end_ = std::max(end_, part.end);
    }
    if (begin_ <= end_) return;
    begin_ = first.begin;
    end_ = first.end;
  }

  static double seconds(Nanoseconds time) { return static_cast<double>(time) / 1e9; }
  double moment(std::size_t process, Nanoseconds time) const {
    return seconds(time + clocks_[process].behind - begin_);
  }

  Json processes_json() const {
    Json all = Json::array();
    for (std::size_t p = 0; p < ways_of_.size(); ++p) {
      Json json = {{"name", name_of_process(ways_of_[p], ways_)}, {"told", p < logs_.size()}};
      if (p < logs_.size()) json.update(process_json(p));
      all.push_back(std::move(json));
    }
    return all;
  }

  Json process_json(std::size_t p) const {
    const ProcessLog& log = logs_[p].log;
    const Clock& clock = clocks_[p];
    return {{"host", log.host},
            {"pid", log.id},
            {"workers", log.workers},
            {"begin_s", moment(p, log.begin)},
            {"end_s", moment(p, log.end)},
            {"clock_within_s", clock.within ? Json(seconds(*clock.within)) : Json()},
            {"active_s", seconds(log.active)},
            {"worked_s", seconds(log.worked)},
            {"asks", log.counts.asks},
            {"refusals", log.counts.refusals},
            {"given", log.counts.given},
            {"taken", log.counts.taken},
            {"again", log.counts.again},
            {"late", log.counts.late},
            {"bytes", log.counts.bytes},
            {"left_out", log.left_out}};
  }

  Json pairs_json() const {
    Json all = Json::array();
    for (std::size_t p = 0; p < logs_.size(); ++p) {
      const ProcessLog& log = logs_[p].log;
      for (std::size_t other = 0; other < log.sums.size(); ++other) {
        const LoggedSum& sum = log.sums[other];
        if (sum.given == 0 && sum.taken == 0) continue;
        all.push_back({{"process", p},
                       {"other", others_[p][other]},
                       {"given", sum.given},
                       {"used", sum.used},
                       {"again", sum.again},
                       {"given_bytes", sum.given_bytes},
                       {"result_bytes", sum.result_bytes},
                       {"taken", sum.taken},
                       {"told", sum.told},
                       {"taken_bytes", sum.taken_bytes},
                       {"told_bytes", sum.told_bytes},
                       {"taken_s", seconds(sum.taken_time)}});
      }
    }
    return all;
  }

  Json searches_json() const {
    Json all = Json::array();
    for (std::size_t p = 0; p < logs_.size(); ++p) {
      for (const LoggedPart& part : logs_[p].log.parts) {
        if (part.kind != LoggedPart::kSearch) continue;
        all.push_back(
            {{"process", p}, {"begin_s", moment(p, part.begin)}, {"end_s", moment(p, part.end)}});
      }
    }
    return all;
  }

  Json parts_json() const {
    // The key is the giver, the taker, and the giver's name for the part.
    using Key = std::tuple<std::size_t, std::size_t, std::uint32_t, std::uint32_t>;
    std::map<Key, SeenPart> seen;
    for (std::size_t p = 0; p < logs_.size(); ++p) {
      for (const LoggedPart& part : logs_[p].log.parts) {
        const std::size_t other = others_[p][part.other];
        if (part.kind == LoggedPart::kGiven) {
          seen[{p, other, part.slot, part.generation}].given = &part;
        } else if (part.kind == LoggedPart::kTaken) {
          seen[{other, p, part.slot, part.generation}].taken = &part;
        }
      }
    }
    Json all = Json::array();
    for (const auto& [key, part] : seen) {
      all.push_back(part_json(std::get<0>(key), std::get<1>(key), part));
    }
    return all;
  }

  Json part_json(std::size_t giver, std::size_t taker, const SeenPart& part) const {
    const LoggedPart& either = part.given != nullptr ? *part.given : *part.taken;
    Json json = {{"giver", giver},
                 {"taker", taker},
                 {"divisions", either.divisions},
                 {"bytes", either.bytes},
                 {"result_bytes", std::max(part.given != nullptr ? part.given->result_bytes : 0,
                                           part.taken != nullptr ? part.taken->result_bytes : 0)}};
    if (part.given != nullptr) {
      json["given_s"] = moment(giver, part.given->begin);
      json["back_s"] = moment(giver, part.given->end);
      json["became"] = end_text(part.given->how);
    }
    if (part.taken != nullptr) {
      json["begin_s"] = moment(taker, part.taken->begin);
      json["end_s"] = moment(taker, part.taken->end);
      json["told"] = part.taken->how == LoggedPart::kTold;
    }
    return json;
  }

  static const char* end_text(LoggedPart::End how) {
    switch (how) {
      case LoggedPart::kUsed:
        return "used";
      case LoggedPart::kAgain:
        return "again";
      case LoggedPart::kWithdrawn:
        return "withdrawn";
      default:
        return "open";
    }
  }

  std::vector<ReceivedLog> logs_;
  const Ways ways_;
  std::map<Way, std::size_t> numbers_;
  std::vector<Way> ways_of_;                      ///< by process; first those of logs_
  std::vector<std::vector<std::size_t>> others_;  ///< numbers of ProcessLog::others, by log
  std::vector<Clock> clocks_;
  Nanoseconds begin_ = 0;
  Nanoseconds end_ = 0;
};

}  // namespace

void ReceivedLogs::add(const Way& from, const ExchangeMessage& message) {
  ReceivedLog received{from, decode_log(*message.task.bytes), message.sent_at, own_clock()};
  const std::lock_guard lock(mutex_);
  if (has_log_of(from)) return;
  std::vector<LoggedPart>& parts = received.log.parts;
  const std::size_t kept = std::min(parts.size(), kMostParts - parts_);
  received.log.left_out += parts.size() - kept;
  parts.resize(kept);
  parts_ += kept;
  logs_.push_back(std::move(received));
}

bool ReceivedLogs::has(const Way& from) const {
  const std::lock_guard lock(mutex_);
  return has_log_of(from);
}

bool ReceivedLogs::has_log_of(const Way& from) const {
  return std::any_of(logs_.begin(), logs_.end(),
                     [&](const ReceivedLog& each) { return each.at == from; });
}

std::vector<ReceivedLog> ReceivedLogs::all() const {
  const std::lock_guard lock(mutex_);
  return logs_;
}

ExchangeMessage message_of(ProcessLog log) {
  ExchangeMessage message;
  message.kind = ExchangeMessage::Says::kLog;
  message.task.bytes = std::make_shared<const Frame>(cluster::packed(std::move(log)));
  message.sent_at = own_clock();
  return message;
}

std::string record_of(std::string_view title, std::vector<ReceivedLog> logs, Ways ways) {
  const Json json = SearchRecord(std::move(logs), ways).json(title);
  // Names of machines may have any bytes.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace kumiko::search::detail
