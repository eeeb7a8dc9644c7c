#include <cstddef>
#include <ostream>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <kumiko/io/output_folder.hpp>

#include "text/chunked_text.hpp"
#include "uniform/uniform_names.hpp"

namespace kumiko::io {

namespace {

void put_table(std::ostream& out, const UniformState& state) {
  const amr::UniformField& field = state.field;
  const bool has_cells = field.centring == amr::Centring::kCell;
  ChunkedText text(out);
  text << fmt::format("# time {} step {} spacing {}; {}\n# x y level {}\n", state.time, state.step,
                      field.spacing, has_cells ? "averages over cells, at their centres" : "nodes",
                      fmt::join(state.names, " "));
  for (std::size_t j = 0; j < field.y.size(); ++j) {
    for (std::size_t i = 0; i < field.x.size(); ++i) {
      const std::size_t at = j * field.x.size() + i;
      text << field.x[i] << " " << field.y[j] << " " << int{field.levels[at]};
      for (const std::vector<double>& values : field.components) text << " " << values[at];
      text << "\n";
    }
    text << "\n";
  }
  text.flush();
}

}  // namespace

void write_table(const std::filesystem::path& file, const UniformState& state) {
  require_names(state);
  write_text_file(file, [&](std::ostream& out) { put_table(out, state); });
}

}  // namespace kumiko::io
