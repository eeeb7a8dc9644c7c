// Where, when and by which program a run is computed.
#pragma once

#include <kumiko/io/origin.hpp>

namespace kumiko::app {

/// The origin of a run that begins now, on this machine.
io::Origin origin_now();

}  // namespace kumiko::app
