// Writes states whose field is known in closed form: FOLDER/node.hdf, cell.hdf (cell averages),
// one_level.hdf, vanished.hdf (levels allowed that have no patch), figures.hdf (how the run went),
// deflate.hdf (the same, compressed); and each as a plotfile, plt_node and so on.
#include <cstdio>
#include <exception>

#include <kumiko/io/plotfile.hpp>

#include "state_fixture.hpp"

namespace kumiko::io::test {
namespace {

void write_all(const std::filesystem::path& folder) {
  const auto write = [&](const std::string& name, const amr::Hierarchy& hierarchy) {
    write_state(folder / (name + ".hdf"), hierarchy, example_attributes());
    write_plotfile(folder / ("plt_" + name), {example_checkpoint(hierarchy), hierarchy.geometry()});
  };
  write("node", *example_hierarchy());
  write("cell", *example_hierarchy(amr::Centring::kCell));
  const amr::Geometry geometry(64, 32, {2.0, 1.0}, {});
  const amr::PatchShape shape{kComponents, 2, 0};
  amr::Hierarchy one(geometry, 1, shape);
  fill(one);
  write("one_level", one);
  amr::Hierarchy vanished(geometry, 3, shape);
  vanished.change(1, {{1, 2, 1}, {1, 3, 1}});
  fill(vanished);
  write("vanished", vanished);
  const auto hierarchy = example_hierarchy();
  const Checkpoint with_extras = example_with_extras(*hierarchy);
  write("figures", *hierarchy);
  write_with(folder / "figures.hdf", with_extras, hierarchy->geometry());
  write("deflate", *hierarchy);
  write_with(folder / "deflate.hdf", with_extras, hierarchy->geometry(), Compression::kDeflate);
}

}  // namespace
}  // namespace kumiko::io::test

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: viewer_files FOLDER\n");
    return 2;
  }
  try {
    kumiko::io::test::write_all(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
