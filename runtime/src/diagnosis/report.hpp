// Tells people on stderr which threads are stuck, and why the process ends.
#pragma once

#include <exception>
#include <string>

namespace kumiko::runtime::detail {

struct Descriptor;
class StackSource;
struct Fiber;

/// `thread "name" 0x..., created at file:line in function`, for people.
std::string describe(const Descriptor& thread);

/// Writes to stderr which threads of `stacks` wait for what, and where they do, after `headline`.
/// For when none of them runs; `here` is the fiber of the caller, which is not one of them.
void report_blocked_threads(StackSource& stacks, Fiber& here, const std::string& headline);

/// Says why the process ends, and lets std::terminate tell of `exception`, if it is one.
[[noreturn]] void terminate(const std::string& why, const std::exception_ptr& exception) noexcept;

}  // namespace kumiko::runtime::detail
