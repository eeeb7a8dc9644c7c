// Prints the tables of docs/reference/files.md that follow from descriptions of records.
// scripts/check-docs compares them with the page, and writes them with --write.
#include <cstdint>
#include <cstdio>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <fmt/core.h>

#include "checkpoint/sidecar_file.hpp"
#include "run/rank_record.hpp"
#include "trace/trace_layout.hpp"

namespace kumiko::io {
namespace {

template <class T>
struct ElementOf {
  using Type = T;
};
template <class T>
struct ElementOf<std::vector<T>> {
  using Type = T;
};

/// The keys of a described record, each with its own help in brackets: "`a`, `b` (seconds)".
template <class Record>
std::string keys_of_record() {
  std::string keys;
  cluster::for_each_item<Record>([&](const auto& item) {
    keys += fmt::format("{}`{}`", keys.empty() ? "" : ", ", item.name);
    if (*item.help != '\0') keys += fmt::format(" ({})", item.help);
  });
  return keys;
}

/// The help of an item, and whether a file may lack it.
std::string help_of(const auto& item) {
  return item.may_be_missing ? fmt::format("{}; not in files of earlier versions", item.help)
                             : item.help;
}

/// A row for each key of a JSON object.
template <class Record>
void print_keys(const char* title) {
  fmt::print("# {}\n| key | content |\n|---|---|\n", title);
  Record record{};
  cluster::for_each_item<Record>([&](const auto& item) {
    using Member = std::decay_t<decltype(item.of(record))>;
    using Element = typename ElementOf<Member>::Type;
    std::string keys = fmt::format("`{}`", item.name);
    std::string help = help_of(item);
    if constexpr (cluster::Described<Element>) {
      if (item.is_part()) {
        keys = keys_of_record<Element>();
      } else {
        help += (help.empty() ? "" : ": ") + keys_of_record<Element>();
      }
    }
    fmt::print("| {} | {} |\n", keys, help);
  });
}

template <class Member>
std::string type_name() {
  using Number = Stored<Member>;
  if constexpr (std::is_same_v<Number, std::string>) {
    return "string";
  } else {
    return fmt::format("{}int{}", std::is_signed_v<Number> ? "" : "u", 8 * sizeof(Number));
  }
}

/// A row for each column or attribute of a trace.
template <class Row, class Columns>
void print_columns(const std::string& before, const Columns& columns) {
  Row row{};
  for_each_column(columns, [&](const auto& column) {
    fmt::print("| `{}{}` | {} | {} |\n", before, column.name, type_name<decltype(column.of(row))>(),
               help_of(column));
  });
}

void print_tables() {
  print_keys<SidecarFile>("sidecar");
  print_keys<RankSummary>("ranks");
  fmt::print("# trace attributes\n| attribute of the file | type | content |\n|---|---|---|\n");
  print_columns<amr::Trace>("", kTraceFacts);
  fmt::print("# trace datasets\n| dataset | type | content |\n|---|---|---|\n");
  print_columns<amr::TracePatch>("patches/", kPatchColumns);
  print_columns<amr::TraceWindow>("stretches/", kWindowColumns);
  print_columns<amr::TracePhase>("phases/", kPhaseColumns);
  print_columns<amr::TracePiece>("pieces/", kPieceColumns);
  print_columns<amr::TraceSpan>("spans/", kSpanColumns);
}

}  // namespace
}  // namespace kumiko::io

int main() { kumiko::io::print_tables(); }
