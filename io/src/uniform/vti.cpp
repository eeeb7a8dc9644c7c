#include <bit>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>

#include <fmt/core.h>

#include <kumiko/io/output_folder.hpp>

#include "uniform/uniform_names.hpp"

namespace kumiko::io {

namespace {

static_assert(std::endian::native == std::endian::little, "the file says that it is little-endian");

/// The text before the data; each array of these is a length in bytes, and its values.
std::string vti_head(const UniformState& state) {
  const amr::UniformField& field = state.field;
  const bool has_cells = field.centring == amr::Centring::kCell;
  const std::size_t points = field.x.size() * field.y.size();
  // Cells lie between points, of which there is one more along each axis.
  const double shift = has_cells ? 0.5 * field.spacing : 0.0;
  const std::size_t less = has_cells ? 0 : 1;
  const std::string extent =
      fmt::format("0 {} 0 {} 0 0", field.x.size() - less, field.y.size() - less);
  const char* const kind = has_cells ? "CellData" : "PointData";
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n"
      "<ImageData WholeExtent=\"{0}\" Origin=\"{1} {2} 0\" Spacing=\"{3} {3} {3}\">\n"
      "<FieldData>\n"
      "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{4}"
      "</DataArray>\n"
      "</FieldData>\n"
      "<Piece Extent=\"{0}\">\n<{5}>\n",
      extent, field.x.front() - shift, field.y.front() - shift, field.spacing, state.time, kind);
  std::size_t offset = 0;
  const auto add_array = [&](const char* type, std::string_view name, std::size_t size) {
    text += fmt::format("<DataArray type=\"{}\" Name=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
                        type, name, offset);
    offset += sizeof(std::uint64_t) + points * size;
  };
  for (const std::string& name : state.names) add_array("Float64", name, sizeof(double));
  add_array("Int8", "level", sizeof(std::int8_t));
  return text +
         fmt::format("</{}>\n</Piece>\n</ImageData>\n<AppendedData encoding=\"raw\">\n_", kind);
}

template <class Value>
void put_array(std::ostream& out, const std::vector<Value>& values) {
  const std::uint64_t bytes = values.size() * sizeof(Value);
  out.write(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(bytes));
}

void put_vti(std::ostream& out, const UniformState& state) {
  out << vti_head(state);
  for (const std::vector<double>& values : state.field.components) put_array(out, values);
  put_array(out, state.field.levels);
  out << "\n</AppendedData>\n</VTKFile>\n";
}

}  // namespace

void write_vti(const std::filesystem::path& file, const UniformState& state) {
  require_names(state);
  write_text_file(file, [&](std::ostream& out) { put_vti(out, state); });
}

}  // namespace kumiko::io
