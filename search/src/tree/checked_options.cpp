#include "tree/checked_options.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include <sys/resource.h>

#include "tree/frame.hpp"

namespace kumiko::search::detail::tree {

namespace {

using std::chrono::milliseconds;

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("TreeOptions::") + what);
}

/// Half of what the process may have open, so that the rest of it has descriptors too.
std::size_t most_unproved_by_the_system() {
  rlimit open{};
  if (getrlimit(RLIMIT_NOFILE, &open) != 0 || open.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<std::size_t>::max();
  }
  return std::max<std::size_t>(1, open.rlim_cur / 2);
}

}  // namespace

TreeOptions checked(TreeOptions options) {
  require(!options.secret.empty(), "secret is empty; use 16 random bytes or more");
  require(options.largest_frame < std::numeric_limits<std::uint32_t>::max() / 2,
          "largest_frame is above 2 GiB; lower it, and send larger data in parts");
  require(options.longest_route > 0 && options.longest_route <= 4096,
          "longest_route must be from 1 to 4096");
  const FrameLimits limits{options.largest_frame, options.longest_route};
  require(options.most_unsent_bytes >= limits.most_bytes(),
          "most_unsent_bytes must be at least largest_frame and the size of its header");
  require(options.most_unproved > 0,
          "most_unproved is 0, so that no process could join; set it to 1 or more");
  require(options.handshake_timeout > milliseconds(0), "handshake_timeout is not positive");
  require(options.heartbeat_every > milliseconds(0), "heartbeat_every is not positive");
  require(options.lost_after >= 2 * options.heartbeat_every,
          "lost_after is less than twice heartbeat_every");
  require(options.leave_within >= milliseconds(0), "leave_within is negative");
  options.most_unproved = std::min(options.most_unproved, most_unproved_by_the_system());
  return options;
}

}  // namespace kumiko::search::detail::tree
