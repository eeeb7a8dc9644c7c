// The layout of a trace in HDF5, said once for the writer and the reader.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>

#include <kumiko/amr/trace.hpp>
#include <kumiko/cluster/described.hpp>

#include "hdf5/limits.hpp"

namespace kumiko::io {

/// The layout's version, which changes whenever a reader would have to.
inline constexpr std::int32_t kTraceLayout = 1;

/// The type that is stored: enumerations are numbers, in the order in which they are declared.
template <class Member>
using Stored =
    std::conditional_t<std::is_enum_v<std::decay_t<Member>>, std::uint8_t, std::decay_t<Member>>;

using amr::PatchId;
using amr::Trace;
using amr::TracePhase;
using amr::TracePiece;
using amr::TraceSpan;
using amr::TraceWindow;
using cluster::Item;

// The columns of the tables, each the members of a kind of rows.
inline constexpr std::tuple kPatchColumns = {Item<&PatchId::level>{"level"}, Item<&PatchId::i>{"i"},
                                             Item<&PatchId::j>{"j"}};

inline constexpr std::tuple kWindowColumns = {
    Item<&TraceWindow::begin_ns>{"begin_ns"},       Item<&TraceWindow::end_ns>{"end_ns"},
    Item<&TraceWindow::first_step>{"first_step"},   Item<&TraceWindow::steps>{"steps"},
    Item<&TraceWindow::first_phase>{"first_phase"}, Item<&TraceWindow::end_phase>{"end_phase"},
    Item<&TraceWindow::first_patch>{"first_patch"}, Item<&TraceWindow::end_patch>{"end_patch"}};

inline constexpr std::tuple kPhaseColumns = {
    Item<&TracePhase::base_step>{"base_step"},     Item<&TracePhase::level>{"level"},
    Item<&TracePhase::number>{"number"},           Item<&TracePhase::kind>{"kind"},
    Item<&TracePhase::first_piece>{"first_piece"}, Item<&TracePhase::end_piece>{"end_piece"}};

inline constexpr std::tuple kPieceColumns = {
    Item<&TracePiece::begin_ns>{"begin_ns"}, Item<&TracePiece::end_ns>{"end_ns"},
    Item<&TracePiece::patch>{"patch"},       Item<&TracePiece::phase>{"phase"},
    Item<&TracePiece::worker>{"worker"},     Item<&TracePiece::awaited>{"awaited"},
    Item<&TracePiece::cause>{"cause"},       Item<&TracePiece::steals>{"steals"},
    Item<&TracePiece::runnable>{"runnable"}, Item<&TracePiece::io_in_flight>{"io_in_flight"}};

/// The columns of spans, except for `what`, whose values are strings.
inline constexpr std::tuple kSpanColumns = {
    Item<&TraceSpan::begin_ns>{"begin_ns"}, Item<&TraceSpan::end_ns>{"end_ns"},
    Item<&TraceSpan::base_step>{"base_step"}, Item<&TraceSpan::loops_ns>{"loops_ns"}};

/// The data of the trace as a whole, which are attributes of the file.
inline constexpr std::tuple kTraceFacts = {
    Item<&Trace::case_name>{"case_name"}, Item<&Trace::solver>{"solver"},
    Item<&Trace::backend>{"backend"},     Item<&Trace::schedule>{"schedule"},
    Item<&Trace::workers>{"workers"},     Item<&Trace::points_x>{"points_x"},
    Item<&Trace::points_y>{"points_y"},   Item<&Trace::levels>{"levels"},
    Item<&Trace::end_ns>{"end_ns"}};

/// Calls f with each column.
template <class Columns, class Function>
void for_each_column(const Columns& columns, Function f) {
  std::apply([&](const auto&... column) { (f(column), ...); }, columns);
}

}  // namespace kumiko::io
