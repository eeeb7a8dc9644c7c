#include "timeline.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "base64.hpp"
#include "chart.hpp"

namespace kumiko::viz::report {

namespace {

template <class Number>
std::string text_of(const std::vector<Number>& numbers) {
  return base64(std::span<const Number>(numbers));
}

/// Numbers of the pieces that are shown, by worker, then begin.
std::vector<std::uint32_t> shown_pieces(const amr::Trace& trace, std::size_t most) {
  std::vector<std::uint32_t> order(trace.pieces.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto by_begin = [&](std::uint32_t a, std::uint32_t b) {
    return trace.pieces[a].begin_ns < trace.pieces[b].begin_ns;
  };
  if (order.size() > most) {
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                     by_begin);
    order.resize(most);
  }
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const amr::TracePiece& x = trace.pieces[a];
    const amr::TracePiece& y = trace.pieces[b];
    return std::tie(x.worker, x.begin_ns, a) < std::tie(y.worker, y.begin_ns, b);
  });
  return order;
}

/// The columns of pieces.
struct Columns {
  std::vector<double> begin;
  std::vector<float> length;
  std::vector<std::uint32_t> patch;
  std::vector<std::uint32_t> phase;
  std::vector<std::uint32_t> awaited;
  std::vector<std::uint8_t> cause;
  std::vector<std::uint8_t> steals;
  std::vector<std::size_t> lanes;
};

Columns columns_of(const amr::Trace& trace, const std::vector<std::uint32_t>& order) {
  Columns columns;
  std::vector<std::uint32_t> place(trace.pieces.size(), amr::kNoPiece);
  for (std::uint32_t at = 0; at < order.size(); ++at) place[order[at]] = at;
  columns.lanes.assign(static_cast<std::size_t>(trace.workers) + 1, 0);
  for (const std::uint32_t number : order) {
    const amr::TracePiece& piece = trace.pieces[number];
    const bool waited = piece.awaited != amr::kNoPiece;
    columns.begin.push_back(static_cast<double>(piece.begin_ns) / kMicrosecond);
    columns.length.push_back(
        static_cast<float>(static_cast<double>(piece.end_ns - piece.begin_ns) / kMicrosecond));
    columns.patch.push_back(piece.patch);
    columns.phase.push_back(piece.phase);
    columns.awaited.push_back(waited ? place[piece.awaited] : amr::kNoPiece);
    columns.cause.push_back(static_cast<std::uint8_t>(piece.cause));
    columns.steals.push_back(static_cast<std::uint8_t>(
        std::min<std::uint32_t>(piece.steals, std::numeric_limits<std::uint8_t>::max())));
    ++columns.lanes[static_cast<std::size_t>(piece.worker) + 1];
  }
  std::partial_sum(columns.lanes.begin(), columns.lanes.end(), columns.lanes.begin());
  return columns;
}

nlohmann::ordered_json spans_json(const amr::Trace& trace) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const amr::TraceSpan& span : trace.spans) {
    json.push_back({{"what", span.what},
                    {"step", span.base_step},
                    {"begin", static_cast<double>(span.begin_ns) / kMicrosecond},
                    {"length", static_cast<double>(span.end_ns - span.begin_ns) / kMicrosecond}});
  }
  return json;
}

}  // namespace

nlohmann::ordered_json timeline_json(const amr::Trace& trace, std::size_t most_pieces) {
  const Columns columns = columns_of(trace, shown_pieces(trace, most_pieces));
  std::vector<std::int32_t> patches;
  for (const amr::PatchId& id : trace.patches) {
    patches.insert(patches.end(), {id.level, id.i, id.j});
  }
  std::vector<std::int32_t> phases;
  for (const amr::TracePhase& phase : trace.phases) {
    phases.insert(phases.end(), {phase.base_step, phase.level, phase.number,
                                 static_cast<std::int32_t>(phase.kind)});
  }
  return {{"workers", trace.workers},
          {"levels", trace.levels},
          {"end", static_cast<double>(trace.end_ns) / kMicrosecond},
          {"all_pieces", trace.pieces.size()},
          {"pieces", columns.begin.size()},
          {"lanes", columns.lanes},
          {"begin", text_of(columns.begin)},
          {"length", text_of(columns.length)},
          {"patch", text_of(columns.patch)},
          {"phase", text_of(columns.phase)},
          {"awaited", text_of(columns.awaited)},
          {"cause", text_of(columns.cause)},
          {"steals", text_of(columns.steals)},
          {"patches", text_of(patches)},
          {"blocks", text_of(trace.blocks)},
          {"phases", text_of(phases)},
          {"spans", spans_json(trace)}};
}

}  // namespace kumiko::viz::report
