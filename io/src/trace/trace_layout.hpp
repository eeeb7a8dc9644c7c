// The layout of a trace in HDF5, said once for the writer and the reader.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>

#include <kumiko/amr/trace.hpp>

#include "hdf5/limits.hpp"

namespace kumiko::io {

/// The layout's version, which changes whenever a reader would have to.
inline constexpr std::int32_t kTraceLayout = 1;

/// A dataset that holds one member of every row of a table.
template <class Row, class Member>
struct Column {
  const char* name;
  Member Row::*member;

  using Value = Member;
  /// The type that is stored: enumerations are numbers, in the order in which they are declared.
  using Number =
      typename std::conditional_t<std::is_enum_v<Member>, std::type_identity<std::uint8_t>,
                                  std::type_identity<Member>>::type;
};
template <class Row, class Member>
Column(const char*, Member Row::*) -> Column<Row, Member>;

inline constexpr std::tuple kPatchColumns = {Column{"level", &amr::PatchId::level},
                                             Column{"i", &amr::PatchId::i},
                                             Column{"j", &amr::PatchId::j}};

inline constexpr std::tuple kWindowColumns = {Column{"begin_ns", &amr::TraceWindow::begin_ns},
                                              Column{"end_ns", &amr::TraceWindow::end_ns},
                                              Column{"first_step", &amr::TraceWindow::first_step},
                                              Column{"steps", &amr::TraceWindow::steps},
                                              Column{"first_phase", &amr::TraceWindow::first_phase},
                                              Column{"end_phase", &amr::TraceWindow::end_phase},
                                              Column{"first_patch", &amr::TraceWindow::first_patch},
                                              Column{"end_patch", &amr::TraceWindow::end_patch}};

inline constexpr std::tuple kPhaseColumns = {Column{"base_step", &amr::TracePhase::base_step},
                                             Column{"level", &amr::TracePhase::level},
                                             Column{"number", &amr::TracePhase::number},
                                             Column{"kind", &amr::TracePhase::kind},
                                             Column{"first_piece", &amr::TracePhase::first_piece},
                                             Column{"end_piece", &amr::TracePhase::end_piece}};

inline constexpr std::tuple kPieceColumns = {
    Column{"begin_ns", &amr::TracePiece::begin_ns},
    Column{"end_ns", &amr::TracePiece::end_ns},
    Column{"patch", &amr::TracePiece::patch},
    Column{"phase", &amr::TracePiece::phase},
    Column{"worker", &amr::TracePiece::worker},
    Column{"awaited", &amr::TracePiece::awaited},
    Column{"cause", &amr::TracePiece::cause},
    Column{"steals", &amr::TracePiece::steals},
    Column{"runnable", &amr::TracePiece::runnable},
    Column{"io_in_flight", &amr::TracePiece::io_in_flight}};

/// The columns of spans, except for `what`, whose values are strings.
inline constexpr std::tuple kSpanColumns = {
    Column{"begin_ns", &amr::TraceSpan::begin_ns}, Column{"end_ns", &amr::TraceSpan::end_ns},
    Column{"base_step", &amr::TraceSpan::base_step}, Column{"loops_ns", &amr::TraceSpan::loops_ns}};

/// The data of the trace as a whole, which are attributes of the file.
inline constexpr std::tuple kTraceFacts = {
    Column{"case_name", &amr::Trace::case_name}, Column{"solver", &amr::Trace::solver},
    Column{"backend", &amr::Trace::backend},     Column{"schedule", &amr::Trace::schedule},
    Column{"workers", &amr::Trace::workers},     Column{"points_x", &amr::Trace::points_x},
    Column{"points_y", &amr::Trace::points_y},   Column{"levels", &amr::Trace::levels},
    Column{"end_ns", &amr::Trace::end_ns}};

/// Calls f with each column.
template <class Columns, class Function>
void for_each_column(const Columns& columns, Function f) {
  std::apply([&](const auto&... column) { (f(column), ...); }, columns);
}

}  // namespace kumiko::io
