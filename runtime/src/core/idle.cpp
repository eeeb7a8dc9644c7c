#include "core/idle.hpp"

namespace kumiko::runtime::detail {

template class BasicIdle<IdleHardware>;

}  // namespace kumiko::runtime::detail
