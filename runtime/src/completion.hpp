#pragma once

#include <exception>

#include "descriptor.hpp"

namespace kumiko::runtime::detail {

class Waiter;

/// Keeps what escaped the closure of `self` for whoever waits for it.
void keep_exception(Descriptor& self, std::exception_ptr exception) noexcept;

/// The end of a thread whose parent has not run since the spawn and goes on now, on this worker: so
/// nobody can have joined or detached it, and the group need not know. No atomic read-modify-write.
/// `store` is this worker's; here and below.
void complete_attached(Descriptor& self, DescriptorCache& store) noexcept;

/// The end of any other thread. Returns whom to wake, or nullptr. Calls std::terminate if the
/// thread is detached and an exception escaped it.
Waiter* complete_left_behind(Descriptor& self, DescriptorCache& store) noexcept;

/// Gives a descriptor back that nobody refers to any more; callable from any OS thread.
void release_descriptor(Descriptor& thread) noexcept;

}  // namespace kumiko::runtime::detail
