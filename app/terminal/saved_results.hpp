// Prints results that are in files already.
#pragma once

#include <functional>
#include <string>

namespace kumiko::app {

/// Calls print(), which writes to stdout, and flushes it. Where stdout is closed or full, a warning
/// says so, followed by `saved`, which says where the results are: the command has not failed.
void print_saved(const std::string& saved, const std::function<void()>& print);

}  // namespace kumiko::app
