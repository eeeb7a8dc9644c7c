// Names the patch in an error from code of a case or a solver.
#pragma once

#include <exception>
#include <string>

#include "observation/patch_note.hpp"

namespace kumiko::amr {

/// The same error with " (PLACE)" after its text; the original is nested in it. An error of an
/// argument or of memory remains one; any other becomes a runtime_error. Errors whose texts name
/// their place already, or that are of another rank, stay as they are.
std::exception_ptr with_place(const std::exception_ptr& error, const std::string& place);

/// Calls work() for a patch, outside a step, as in_patch("the exact solution", id, time, work):
/// what it throws, and a fault, names the patch and the time. \return what work() returns
template <class Work>
auto in_patch(const char* name, const PatchId& patch, double time, Work work) {
  const PatchNote note(name, patch, PatchNote::kNoStep, time);
  try {
    return work();
  } catch (...) {
    std::rethrow_exception(with_place(std::current_exception(), note.text()));
  }
}

}  // namespace kumiko::amr
