#include <algorithm>
#include <span>
#include <string>

#include <fmt/format.h>

#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/require.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/plotfile.hpp>

#include "files/part_file.hpp"

namespace kumiko::io {

namespace {

namespace fs = std::filesystem;

/// The format of the numbers: 64-bit IEEE, the lowest byte first.
constexpr const char* kDoubles = "((8, (64 11 52 0 1 12 0 1023)),(8, (8 7 6 5 4 3 2 1)))";
constexpr const char* kDataFile = "Cell_D_00000";

/// Cells from (i, j) to (last_i, last_j), centred in both directions.
std::string box_text(int i, int j, int last_i, int last_j) {
  return fmt::format("(({},{}) ({},{}) (0,0))", i, j, last_i, last_j);
}

std::string box_text(const amr::PatchId& id) {
  const amr::Box<2> box = amr::box_of(id);
  return box_text(box.begin[0], box.begin[1], box.end[0] - 1, box.end[1] - 1);
}

/// One line for each patch of a level: what `text` gives for it.
template <class Text>
std::string lines_of(std::span<const amr::PatchId> ids, Text text) {
  std::string lines;
  for (const amr::PatchId& id : ids) lines += text(id) + "\n";
  return lines;
}

std::string header_of_level(const StoredState& state, int level) {
  const double size = state.geometry.spacing(level) * amr::kPatchSize;
  const std::span<const amr::PatchId> ids = state.checkpoint.run.mesh.ids(level);
  return fmt::format("{} {} {}\n{}\n", level, ids.size(), state.checkpoint.attributes.time,
                     state.checkpoint.run.step) +
         lines_of(ids,
                  [size](const amr::PatchId& id) {
                    return fmt::format("{} {}\n{} {}", id.i * size, (id.i + 1) * size, id.j * size,
                                       (id.j + 1) * size);
                  }) +
         fmt::format("Level_{}/Cell\n", level);
}

std::string header(const StoredState& state) {
  const amr::Geometry& geometry = state.geometry;
  const int levels = state.checkpoint.run.mesh.levels();
  std::string text = fmt::format("HyperCLaw-V1.1\n{}\n", state.checkpoint.field_names().size());
  for (const std::string& name : state.checkpoint.field_names()) text += name + "\n";
  text += fmt::format("2\n{}\n{}\n0 0\n{} {}\n", state.checkpoint.attributes.time, levels - 1,
                      geometry.extent().x, geometry.extent().y);
  const auto line_of_levels = [&](int count, auto one) {
    for (int level = 0; level < count; ++level) text += one(level) + " ";
    text += "\n";
  };
  line_of_levels(levels - 1, [](int) { return fmt::format("{}", amr::kRefinementRatio); });
  line_of_levels(levels, [&](int level) {
    return box_text(0, 0, geometry.points_x(level) - 1, geometry.points_y(level) - 1);
  });
  line_of_levels(levels, [&](int) { return fmt::format("{}", state.checkpoint.run.step); });
  for (int level = 0; level < levels; ++level) {
    text += fmt::format("{0} {0}\n", geometry.spacing(level));
  }
  text += "0\n0\n";  // Cartesian; no cells around the domain
  for (int level = 0; level < levels; ++level) text += header_of_level(state, level);
  return text;
}

/// Writes the records of a level. \return what stands above its data: boxes, places, ranges
std::string write_level(const fs::path& folder, const StoredState& state, int level) {
  const std::span<const amr::PatchId> ids = state.checkpoint.run.mesh.ids(level);
  const std::size_t components = state.checkpoint.field_names().size();
  std::string places;
  std::string minima;
  std::string maxima;
  FileWriter data(folder / kDataFile);
  std::uint64_t offset = 0;
  for (std::size_t slot = 0; slot < ids.size(); ++slot) {
    places += fmt::format("FabOnDisk: {} {}\n", kDataFile, offset);
    std::string bytes = fmt::format("FAB {}{} {}\n", kDoubles, box_text(ids[slot]), components);
    for (std::size_t component = 0; component < components; ++component) {
      const std::span<const double> values = state.checkpoint.run.values(level, slot, component);
      bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      minima += fmt::format("{:.17g},", *low);
      maxima += fmt::format("{:.17g},", *high);
    }
    minima += "\n";
    maxima += "\n";
    data.write(bytes);
    offset += bytes.size();
  }
  data.close();
  const std::string boxes = lines_of(ids, [](const amr::PatchId& id) { return box_text(id); });
  return fmt::format("1\n1\n{1}\n0\n({0} 0\n{2})\n{0}\n{3}\n{0},{1}\n{4}\n{0},{1}\n{5}\n",
                     ids.size(), components, boxes, places, minima, maxima);
}

void write_all(const fs::path& folder, const StoredState& state) {
  fs::create_directories(folder);
  for (int level = 0; level < state.checkpoint.run.mesh.levels(); ++level) {
    const fs::path of_level = folder / fmt::format("Level_{}", level);
    fs::create_directory(of_level);
    write_text_file(of_level / "Cell_H", write_level(of_level, state, level));
  }
  write_text_file(folder / "Header", header(state));
}

}  // namespace

void write_plotfile(const fs::path& folder, const StoredState& state) {
  const std::size_t names = state.checkpoint.attributes.component_names.size();
  const std::size_t components = state.checkpoint.run.components();
  amr::require(names == components, "{} names are given for the {} components of a state", names,
               components);
  std::error_code hidden;  // of a place that write_folder() refuses
  if (fs::exists(folder, hidden)) {
    throw OutputError(
        fmt::format("'{}' already exists; remove it, or name another folder", folder.string()));
  }
  write_folder(folder, [&](const fs::path& part) { write_all(part, state); });
}

}  // namespace kumiko::io
