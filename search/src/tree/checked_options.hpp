// The check of a tree's options.
#pragma once

#include <kumiko/search/tree.hpp>

namespace kumiko::search::detail::tree {

/// Returns the options, with most_unproved lowered to half of the descriptors that the process may
/// have, so that its other files and sockets get some too. \throws std::invalid_argument
TreeOptions checked(TreeOptions options);

}  // namespace kumiko::search::detail::tree
