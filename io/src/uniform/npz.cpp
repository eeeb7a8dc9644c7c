#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <fmt/core.h>

#include <kumiko/io/output_folder.hpp>

#include "uniform/uniform_names.hpp"
#include "uniform/zip_writer.hpp"

namespace kumiko::io {

namespace {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

constexpr std::array<std::string_view, 6> kOwnArrays = {"x",    "y",     "time",
                                                        "step", "level", "spacing"};

/// The head of an array file, version 1.0, as long as a multiple of 64.
std::string npy_head(std::string_view type, std::string_view shape) {
  constexpr std::size_t kAlignment = 64;
  constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  const std::size_t begin = kMagic.size() + 2;
  const std::size_t end = (begin + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  text.append(end - begin - text.size() - 1, ' ');
  text += '\n';
  std::string head(kMagic);
  head += static_cast<char>(text.size() % 256);
  head += static_cast<char>(text.size() / 256);
  return head + text;
}

template <class Value>
std::string_view as_bytes(std::span<const Value> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// The name of a component's array.
std::string array_name(const UniformState& state, std::string name) {
  const auto is_taken = [&] {
    return std::ranges::find(kOwnArrays, name) != kOwnArrays.end() ||
           std::ranges::find(state.names, name) != state.names.end();
  };
  if (std::ranges::find(kOwnArrays, name) == kOwnArrays.end()) return name;
  while (is_taken()) name += '_';
  return name;
}

void put_npz(std::ostream& out, const UniformState& state) {
  const amr::UniformField& field = state.field;
  const std::string shape = fmt::format("({}, {})", field.y.size(), field.x.size());
  ZipWriter archive(out);
  const auto add = [&](const std::string& name, std::string_view type, std::string_view of_shape,
                       std::string_view bytes) {
    archive.add(name + ".npy", npy_head(type, of_shape), bytes);
  };
  const auto add_axis = [&](const char* name, const std::vector<double>& values) {
    add(name, "<f8", fmt::format("({},)", values.size()), as_bytes(std::span(values)));
  };
  for (std::size_t at = 0; at < field.components.size(); ++at) {
    add(array_name(state, state.names[at]), "<f8", shape,
        as_bytes(std::span(field.components[at])));
  }
  add_axis("x", field.x);
  add_axis("y", field.y);
  add("level", "|i1", shape, as_bytes(std::span(field.levels)));
  const std::int64_t step = state.step;
  add("time", "<f8", "()", as_bytes(std::span(&state.time, 1)));
  add("step", "<i8", "()", as_bytes(std::span(&step, 1)));
  add("spacing", "<f8", "()", as_bytes(std::span(&field.spacing, 1)));
  archive.finish();
}

}  // namespace

void write_npz(const std::filesystem::path& file, const UniformState& state) {
  require_names(state);
  write_text_file(file, [&](std::ostream& out) { put_npz(out, state); });
}

}  // namespace kumiko::io
