// Unbalanced Tree Search: counts the nodes of a tree that nobody knows before, one thread per node.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "support/program.hpp"
#include "uts_tree.hpp"

namespace kumiko::bench {
namespace {

/// Of a subtree.
struct Extent {
  std::int64_t nodes;
  std::int64_t depth;  ///< of its deepest node, counted from the tree's root
};

Extent explore(const UtsTree& tree, const UtsNode& node);

/// Explores the subtrees below `node`, as many as there are places in `below`.
Extent explore_children(const UtsTree& tree, const UtsNode& node, std::span<Extent> below) {
  System::Group group;
  for (std::size_t i = 0; i < below.size(); ++i) {
    group.run([&tree, &node, below, i] {
      below[i] = explore(tree, UtsTree::child(node, static_cast<int>(i)));
    });
  }
  group.wait();
  Extent sum{1, node.depth};
  for (const Extent& part : below) {
    sum.nodes += part.nodes;
    sum.depth = std::max(sum.depth, part.depth);
  }
  return sum;
}

Extent explore(const UtsTree& tree, const UtsNode& node) {
  const int children = tree.children_of(node);
  if (children == 0) return {1, node.depth};
  std::array<Extent, UtsTree::kMostChildren> below;
  return explore_children(tree, node, std::span(below).first(static_cast<std::size_t>(children)));
}

class Uts {
 public:
  static constexpr std::string_view kName = "uts";

  explicit Uts(Arguments& arguments) {
    tree_.root_children = static_cast<int>(arguments.integer("b0", tree_.root_children));
    tree_.probability = arguments.real("q", tree_.probability);
  }

  Measurement measure(System& system) const {
    Extent extent{};
    const double seconds = seconds_of([&] {
      system.run([&] {
        std::vector<Extent> below(static_cast<std::size_t>(tree_.root_children));
        extent = explore_children(tree_, tree_.root(), below);
      });
    });
    return {seconds,
            static_cast<std::uint64_t>(extent.nodes),
            {{"nodes", extent.nodes}, {"depth", extent.depth}}};
  }

 private:
  UtsTree tree_;
};

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  return kumiko::bench::program_main<kumiko::bench::Uts>(argc, argv);
}
