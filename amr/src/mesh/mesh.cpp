#include <kumiko/amr/mesh.hpp>

#include "mesh/mesh_body.hpp"

namespace kumiko::amr {

std::string to_string(const PatchId& id) {
  return fmt::format("level {} patch ({}, {})", id.level, id.i, id.j);
}

template struct Box<2>;
template struct BaseGrid<2>;
template class Mesh<2>;
template Box<2> box_of<PatchId>(const PatchId&);
template Box<2> box_of<PatchId>(const PatchId&, const LeafBox<2>&);
template LevelDifference level_difference<PatchId>(std::span<const PatchId>,
                                                   std::span<const PatchId>);
template std::vector<LevelDifference> difference<2>(const Mesh<2>&, const Mesh<2>&);

}  // namespace kumiko::amr
