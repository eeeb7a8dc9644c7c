// Names the change of a field's mass as all commands print it.
#pragma once

namespace kumiko::app {

/// In an open domain mass may enter and leave without an error.
constexpr const char* drift_name(bool open_domain) {
  return open_domain ? "mass change" : "mass drift";
}

}  // namespace kumiko::app
