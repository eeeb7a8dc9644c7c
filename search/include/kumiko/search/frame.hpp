// The bytes that processes send each other.
#pragma once

#include <kumiko/cluster/link.hpp>

namespace kumiko::search {

using cluster::Frame;

}  // namespace kumiko::search
