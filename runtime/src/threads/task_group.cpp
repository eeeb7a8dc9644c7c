#include <stdexcept>

#include <kumiko/runtime/task_group.hpp>

#include "threads/join_counter.hpp"

namespace kumiko::runtime {

namespace detail {

template void BasicJoinCounter<JoinHardware>::wait_slowly() noexcept;

void throw_no_group_owner() {
  throw std::logic_error("TaskGroup outside a lightweight thread; use Runtime::run to start one");
}

void throw_not_group_owner() {
  throw std::logic_error("TaskGroup::wait called by a thread that does not own the group");
}

}  // namespace detail

}  // namespace kumiko::runtime
