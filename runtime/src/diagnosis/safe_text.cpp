#include "diagnosis/safe_text.hpp"

#include <algorithm>

#include <execinfo.h>
#include <unistd.h>

#include "record/descriptor.hpp"

namespace kumiko::runtime::detail {

void print(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void print_backtrace() noexcept {
  constexpr int kDepth = 24;
  std::array<void*, kDepth> frames;
  const int count = backtrace(frames.data(), kDepth);
  backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
}

SafeText& SafeText::add(const Descriptor& thread) noexcept {
  add("thread ");
  if (thread.name[0] != '\0') add("\"").add(thread.name.data()).add("\" ");
  add_address(thread.id());
  // Room for what may follow.
  constexpr std::size_t kLongestFile = 300;
  const std::string_view file = thread.where.file_name();
  add(", created at ").add(file.substr(file.size() - std::min(file.size(), kLongestFile)));
  return add(":").add_number(thread.where.line());
}

}  // namespace kumiko::runtime::detail
