// Text that signal handlers may build and write, too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kumiko::runtime::detail {

struct Descriptor;

/// Writes all of it to stderr, unless the system refuses.
void print(std::string_view text) noexcept;

/// Writes where the caller is. The first call in a process loads a library, which a signal handler
/// must not.
void print_backtrace() noexcept;

/// Text of bounded length: what does not fit is cut off. Nothing here allocates or locks.
class SafeText {
 public:
  SafeText& add(std::string_view text) noexcept {
    for (const char character : text) {
      if (size_ == text_.size()) break;
      text_[size_++] = character;
    }
    return *this;
  }
  SafeText& add_number(std::uintmax_t number) noexcept { return add_digits(number, 10); }
  SafeText& add_address(std::uintptr_t address) noexcept {
    return add("0x").add_digits(address, 16);
  }

  /// `thread "name" 0x..., created at file:line`, for people.
  SafeText& add(const Descriptor& thread) noexcept;

  std::string_view view() const noexcept { return {text_.data(), size_}; }

 private:
  SafeText& add_digits(std::uintmax_t number, unsigned base) noexcept {
    std::array<char, 24> digits{};
    std::size_t count = 0;
    do {
      digits[digits.size() - ++count] = "0123456789abcdef"[number % base];
      number /= base;
    } while (number != 0);
    return add({digits.data() + digits.size() - count, count});
  }

  std::array<char, 512> text_{};
  std::size_t size_ = 0;
};

}  // namespace kumiko::runtime::detail
