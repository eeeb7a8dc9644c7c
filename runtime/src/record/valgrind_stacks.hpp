// Tells Valgrind where the stacks of lightweight threads lie.
#pragma once

namespace kumiko::runtime::detail {

/// Registers the stack [bottom, top) with Valgrind. Without that, Valgrind mistakes a switch for a
/// jump of the stack pointer within one stack, and treats the memory in between as freed. Costs a
/// few instructions where Valgrind does not run.
/// \returns the number for forget_stack(); 0 where Valgrind does not run, or if the build has no
/// Valgrind support.
unsigned register_stack(const void* bottom, const void* top) noexcept;

/// Undoes register_stack(), before the memory is unmapped.
void forget_stack(unsigned number) noexcept;

}  // namespace kumiko::runtime::detail
