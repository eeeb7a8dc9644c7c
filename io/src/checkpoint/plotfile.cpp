#include <algorithm>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include <kumiko/amr/require.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/plotfile.hpp>

#include "files/part_file.hpp"

namespace kumiko::io {

namespace {

namespace fs = std::filesystem;

/// What the reader must know of the numbers: 64-bit IEEE ones, the lowest byte first.
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

/// One line for each patch: what `text` gives for it.
template <class Text>
std::string lines_of(const amr::Level& level, Text text) {
  std::string lines;
  for (std::size_t slot = 0; slot < level.size(); ++slot) lines += text(level.patch(slot)) + "\n";
  return lines;
}

std::string header_of_level(const amr::Hierarchy& hierarchy, int index,
                            const PlotfileAttributes& attributes) {
  const double size = hierarchy.geometry().spacing(index) * amr::kPatchSize;
  const amr::Level& level = hierarchy.level(index);
  return fmt::format("{} {} {}\n{}\n", index, level.size(), attributes.time, attributes.step) +
         lines_of(level,
                  [size](const amr::Patch& patch) {
                    const amr::PatchId& id = patch.id();
                    return fmt::format("{} {}\n{} {}", id.i * size, (id.i + 1) * size, id.j * size,
                                       (id.j + 1) * size);
                  }) +
         fmt::format("Level_{}/Cell\n", index);
}

std::string header(const amr::Hierarchy& hierarchy, const PlotfileAttributes& attributes) {
  const amr::Geometry& geometry = hierarchy.geometry();
  const int levels = hierarchy.used_levels();
  std::string text = fmt::format("HyperCLaw-V1.1\n{}\n", attributes.component_names.size());
  for (const std::string& name : attributes.component_names) text += name + "\n";
  text += fmt::format("2\n{}\n{}\n0 0\n{} {}\n", attributes.time, levels - 1, geometry.extent().x,
                      geometry.extent().y);
  const auto line_of_levels = [&](int count, auto one) {
    for (int level = 0; level < count; ++level) text += one(level) + " ";
    text += "\n";
  };
  line_of_levels(levels - 1, [](int) { return fmt::format("{}", amr::kRefinementRatio); });
  line_of_levels(levels, [&](int level) {
    return box_text(0, 0, geometry.points_x(level) - 1, geometry.points_y(level) - 1);
  });
  line_of_levels(levels, [&](int) { return fmt::format("{}", attributes.step); });
  for (int level = 0; level < levels; ++level) {
    text += fmt::format("{0} {0}\n", geometry.spacing(level));
  }
  text += "0\n0\n";  // Cartesian; no cells around the domain
  for (int level = 0; level < levels; ++level)
    text += header_of_level(hierarchy, level, attributes);
  return text;
}

/// Writes the records of a level. \return what stands above its data: boxes, places, ranges
std::string write_level(const fs::path& folder, const amr::Level& level, int components) {
  std::string places;
  std::string minima;
  std::string maxima;
  FileWriter data(folder / kDataFile);
  std::uint64_t offset = 0;
  const auto write = [&](std::string_view bytes) {
    data.write(bytes);
    offset += bytes.size();
  };
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    const amr::Patch& patch = level.patch(slot);
    places += fmt::format("FabOnDisk: {} {}\n", kDataFile, offset);
    std::string bytes = fmt::format("FAB {}{} {}\n", kDoubles, box_text(patch.id()), components);
    for (int component = 0; component < components; ++component) {
      const amr::FieldArray values = patch.now().interior(component);
      const auto size = static_cast<std::size_t>(values.size()) * sizeof(double);
      bytes.append(reinterpret_cast<const char*>(values.data()), size);
      minima += fmt::format("{:.17g},", values.minCoeff());
      maxima += fmt::format("{:.17g},", values.maxCoeff());
    }
    minima += "\n";
    maxima += "\n";
    write(bytes);
  }
  data.close();
  const std::size_t patches = level.size();
  const std::string boxes =
      lines_of(level, [](const amr::Patch& patch) { return box_text(patch.id()); });
  return fmt::format("1\n1\n{1}\n0\n({0} 0\n{2})\n{0}\n{3}\n{0},{1}\n{4}\n{0},{1}\n{5}\n", patches,
                     components, boxes, places, minima, maxima);
}

void write_all(const fs::path& folder, const amr::Hierarchy& hierarchy,
               const PlotfileAttributes& attributes) {
  fs::create_directories(folder);
  for (int level = 0; level < hierarchy.used_levels(); ++level) {
    const fs::path of_level = folder / fmt::format("Level_{}", level);
    fs::create_directory(of_level);
    write_text_file(of_level / "Cell_H",
                    write_level(of_level, hierarchy.level(level), hierarchy.shape().components));
  }
  write_text_file(folder / "Header", header(hierarchy, attributes));
}

}  // namespace

void write_plotfile(const fs::path& folder, const amr::Hierarchy& hierarchy,
                    const PlotfileAttributes& attributes) {
  const std::size_t names = attributes.component_names.size();
  const int components = hierarchy.shape().components;
  amr::require(names == static_cast<std::size_t>(components),
               "{} names are given for the {} components of a state", names, components);
  try {
    if (fs::exists(folder)) {
      throw OutputError(
          fmt::format("'{}' is there already; remove it, or name another folder", folder.string()));
    }
    const PartFolder part(folder);
    write_all(part.part(), hierarchy, attributes);
    part.publish();
  } catch (const fs::filesystem_error& error) {
    throw OutputError(
        fmt::format("cannot write '{}': {}", folder.string(), error.code().message()));
  }
}

}  // namespace kumiko::io
