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

using cluster::Item;

// The columns of the tables, each the members of a kind of rows.
inline constexpr std::tuple kPatchColumns(
    Item<&amr::TracePatch::level>{"level", "level of the patch"},
    Item<&amr::TracePatch::i>{"i", "its place in x, in patches"},
    Item<&amr::TracePatch::j>{"j", "its place in y, in patches"},
    Item<&amr::TracePatch::rank>{"rank", "the rank that held it; -1: unknown"}.added_later());

inline constexpr std::tuple kWindowColumns(
    Item<&amr::TraceWindow::begin_ns>{"begin_ns", "when the window began"},
    Item<&amr::TraceWindow::end_ns>{"end_ns", "when it ended"},
    Item<&amr::TraceWindow::first_step>{"first_step", "its first base step"},
    Item<&amr::TraceWindow::steps>{"steps", "how many it has"},
    Item<&amr::TraceWindow::first_phase>{"first_phase", "its first phase"},
    Item<&amr::TraceWindow::end_phase>{"end_phase", "one past its last phase"},
    Item<&amr::TraceWindow::first_patch>{"first_patch", "its first patch"},
    Item<&amr::TraceWindow::end_patch>{"end_patch", "one past its last patch"});

inline constexpr std::tuple kPhaseColumns(
    Item<&amr::TracePhase::base_step>{"base_step", "base step of the phase"},
    Item<&amr::TracePhase::level>{"level", "its level"},
    Item<&amr::TracePhase::number>{"number", "the level's step since the window began"},
    Item<&amr::TracePhase::kind>{"kind", "0 advance, 1 blend, 2 finish"},
    Item<&amr::TracePhase::first_piece>{"first_piece", "its first piece"},
    Item<&amr::TracePhase::end_piece>{"end_piece", "one past its last piece"});

inline constexpr std::tuple kPieceColumns(
    Item<&amr::TracePiece::begin_ns>{"begin_ns", "when the piece began"},
    Item<&amr::TracePiece::end_ns>{"end_ns", "when it ended"},
    Item<&amr::TracePiece::patch>{"patch", "index in `patches`"},
    Item<&amr::TracePiece::phase>{"phase", "index in `phases`"},
    Item<&amr::TracePiece::worker>{"worker", "its worker, from 0"},
    Item<&amr::TracePiece::awaited>{"awaited", "the piece that it awaited last; 4294967295: none"},
    Item<&amr::TracePiece::cause>{"cause", "0 sibling, 1 coarser, 2 parent, 3 child, 4 level"},
    Item<&amr::TracePiece::steals>{"steals", "threads taken since its worker's last piece"},
    Item<&amr::TracePiece::runnable>{"runnable", "threads ready on its worker; -1: unknown"},
    Item<&amr::TracePiece::io_in_flight>{"io_in_flight", "the run's I/O in progress; -1: unknown"});

/// The columns of spans, except for `what`, whose values are strings.
inline constexpr std::tuple kSpanColumns(
    Item<&amr::TraceSpan::begin_ns>{"begin_ns", "when the work between windows began"},
    Item<&amr::TraceSpan::end_ns>{"end_ns", "when it ended"},
    Item<&amr::TraceSpan::base_step>{"base_step", "the base step that follows it"},
    Item<&amr::TraceSpan::loops_ns>{"loops_ns", "of it in parallel loops over patches"});

/// The data of the trace as a whole, which are attributes of the file.
inline constexpr std::tuple kTraceFacts(
    Item<&amr::Trace::case_name>{"case_name", "as in the configuration"},
    Item<&amr::Trace::solver>{"solver", "as in the configuration"},
    Item<&amr::Trace::backend>{"backend", "as `--backend` names it"},
    Item<&amr::Trace::schedule>{"schedule", "dataflow or level"},
    Item<&amr::Trace::workers>{"workers", "OS threads that worked"},
    Item<&amr::Trace::points_x>{"points_x", "points of level 0 in x"},
    Item<&amr::Trace::points_y>{"points_y", "points of level 0 in y"},
    Item<&amr::Trace::levels>{"levels", "maximum number of levels"},
    Item<&amr::Trace::end_ns>{"end_ns", "when the trace ended"});

/// Calls f with each column.
template <class Columns, class Function>
void for_each_column(const Columns& columns, Function f) {
  std::apply([&](const auto&... column) { (f(column), ...); }, columns);
}

}  // namespace kumiko::io
