#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <kumiko/amr/mesh.hpp>
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

/// One line for each patch of a level: what `text` gives for it.
template <class Text>
std::string lines_of(std::span<const amr::PatchId> ids, Text text) {
  std::string lines;
  for (const amr::PatchId& id : ids) lines += text(id) + "\n";
  return lines;
}

/// A stored state and the field's components in its records.
class Field {
 public:
  /// Throws std::invalid_argument when the state's names cannot be.
  explicit Field(const StoredState& state) : state_(state) {
    const std::size_t names = state.checkpoint.attributes.component_names.size();
    amr::require(names == run().components(), "{} names are given for the {} components of a state",
                 names, run().components());
  }

  const amr::SavedRun& run() const { return state_.checkpoint.run; }
  const amr::Geometry& geometry() const { return state_.geometry; }
  const amr::Mesh<2>& mesh() const { return run().mesh; }
  double time() const { return state_.checkpoint.attributes.time; }
  /// Without extras.
  std::span<const std::string> names() const {
    const std::span<const std::string> all = state_.checkpoint.attributes.component_names;
    return all.first(all.size() - static_cast<std::size_t>(run().extras));
  }

 private:
  const StoredState& state_;
};

std::string header_of_level(const Field& field, int level) {
  const double size = field.geometry().spacing(level) * amr::kPatchSize;
  const std::span<const amr::PatchId> ids = field.mesh().ids(level);
  return fmt::format("{} {} {}\n{}\n", level, ids.size(), field.time(), field.run().step) +
         lines_of(ids,
                  [size](const amr::PatchId& id) {
                    return fmt::format("{} {}\n{} {}", id.i * size, (id.i + 1) * size, id.j * size,
                                       (id.j + 1) * size);
                  }) +
         fmt::format("Level_{}/Cell\n", level);
}

std::string header(const Field& field) {
  const amr::Geometry& geometry = field.geometry();
  const int levels = field.mesh().levels();
  std::string text = fmt::format("HyperCLaw-V1.1\n{}\n", field.names().size());
  for (const std::string& name : field.names()) text += name + "\n";
  text += fmt::format("2\n{}\n{}\n0 0\n{} {}\n", field.time(), levels - 1, geometry.extent().x,
                      geometry.extent().y);
  const auto line_of_levels = [&](int count, auto one) {
    for (int level = 0; level < count; ++level) text += one(level) + " ";
    text += "\n";
  };
  line_of_levels(levels - 1, [](int) { return fmt::format("{}", amr::kRefinementRatio); });
  line_of_levels(levels, [&](int level) {
    return box_text(0, 0, geometry.points_x(level) - 1, geometry.points_y(level) - 1);
  });
  line_of_levels(levels, [&](int) { return fmt::format("{}", field.run().step); });
  for (int level = 0; level < levels; ++level) {
    text += fmt::format("{0} {0}\n", geometry.spacing(level));
  }
  text += "0\n0\n";  // Cartesian; no cells around the domain
  for (int level = 0; level < levels; ++level) text += header_of_level(field, level);
  return text;
}

/// Writes the records of a level. \return what stands above its data: boxes, places, ranges
std::string write_level(const fs::path& folder, const Field& field, int level) {
  const std::span<const amr::PatchId> ids = field.mesh().ids(level);
  const std::size_t components = field.names().size();
  std::string places;
  std::string minima;
  std::string maxima;
  FileWriter data(folder / kDataFile);
  std::uint64_t offset = 0;
  const auto write = [&](std::string_view bytes) {
    data.write(bytes);
    offset += bytes.size();
  };
  for (std::size_t slot = 0; slot < ids.size(); ++slot) {
    places += fmt::format("FabOnDisk: {} {}\n", kDataFile, offset);
    std::string bytes = fmt::format("FAB {}{} {}\n", kDoubles, box_text(ids[slot]), components);
    for (std::size_t component = 0; component < components; ++component) {
      const std::span<const double> values = field.run().values(level, slot, component);
      bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      minima += fmt::format("{:.17g},", *low);
      maxima += fmt::format("{:.17g},", *high);
    }
    minima += "\n";
    maxima += "\n";
    write(bytes);
  }
  data.close();
  const std::string boxes = lines_of(ids, [](const amr::PatchId& id) { return box_text(id); });
  return fmt::format("1\n1\n{1}\n0\n({0} 0\n{2})\n{0}\n{3}\n{0},{1}\n{4}\n{0},{1}\n{5}\n",
                     ids.size(), components, boxes, places, minima, maxima);
}

void write_all(const fs::path& folder, const Field& field) {
  fs::create_directories(folder);
  for (int level = 0; level < field.mesh().levels(); ++level) {
    const fs::path of_level = folder / fmt::format("Level_{}", level);
    fs::create_directory(of_level);
    write_text_file(of_level / "Cell_H", write_level(of_level, field, level));
  }
  write_text_file(folder / "Header", header(field));
}

}  // namespace

void write_plotfile(const fs::path& folder, const StoredState& state) {
  const Field field(state);
  try {
    if (fs::exists(folder)) {
      throw OutputError(
          fmt::format("'{}' is there already; remove it, or name another folder", folder.string()));
    }
    const PartFolder part(folder);
    write_all(part.part(), field);
    part.publish();
  } catch (const fs::filesystem_error& error) {
    throw OutputError(
        fmt::format("cannot write '{}': {}", folder.string(), error.code().message()));
  }
}

}  // namespace kumiko::io
