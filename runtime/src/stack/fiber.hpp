// Switches stacks and tells the sanitizers of it.
#pragma once

#include "stack/context.hpp"
#include "stack/sanitizer.hpp"

namespace kumiko::runtime::detail {

/// A context together with what the sanitizers know of its stack: of a lightweight thread, or of a
/// worker's scheduling loop.
struct Fiber {
  void* stack_pointer = nullptr;  ///< while suspended; nullptr before the first start
  [[no_unique_address]] sanitizer::StackNotes notes;
};

/// Leaves `from`, the running fiber, for `to`; returns when someone continues `from`.
KUMIKO_SWITCHES_STACKS inline After switch_fiber(Fiber& from, Fiber& to, After after) noexcept {
  sanitizer::leave(&from.notes, to.notes);
  const After here =
      kumiko_context_switch(&from.stack_pointer, to.stack_pointer, after.function, after.argument);
  sanitizer::arrive(from.notes);
  return here;
}

/// Leaves `from`, the running fiber, for entry(argument) on the fresh stack of `to` below `top`;
/// returns when someone continues `from`.
KUMIKO_SWITCHES_STACKS inline After start_fiber(Fiber& from, Fiber& to, void* top,
                                                void* (*entry)(void*), void* argument) noexcept {
  sanitizer::leave(&from.notes, to.notes);
  const After here = kumiko_context_start(&from.stack_pointer, top, entry, argument);
  sanitizer::arrive(from.notes);
  return here;
}

}  // namespace kumiko::runtime::detail
