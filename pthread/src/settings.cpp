#include "settings.hpp"

#include <array>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace kumiko::pthread {

namespace {

constexpr std::size_t kSmallestStack = std::size_t{16} * 1024;
constexpr std::size_t kLargestStack = std::size_t{1} << 40U;
constexpr std::size_t kMostWorkers = 4096;

[[noreturn]] void refuse(const char* name, const char* value, const char* wanted) noexcept {
  std::array<char, 256> line;
  const int length =
      std::snprintf(line.data(), line.size(), "kumiko: %s is '%.100s'; %s\n", name, value, wanted);
  static_cast<void>(!write(STDERR_FILENO, line.data(), static_cast<std::size_t>(length)));
  _exit(2);
}

/// A number with an optional K, M or G.
bool parse(std::string_view text, std::size_t& number) noexcept {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{}) return false;
  if (rest == end) return true;
  unsigned shift = 0;
  if (*rest == 'K' || *rest == 'k') shift = 10;
  if (*rest == 'M' || *rest == 'm') shift = 20;
  if (*rest == 'G' || *rest == 'g') shift = 30;
  if (shift == 0 || rest + 1 != end || number >> (64U - shift) != 0) return false;
  number <<= shift;
  return true;
}

/// 0 if the variable is not set.
std::size_t number_of(const char* name, std::size_t least, std::size_t most, const char* wanted) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return 0;
  std::size_t number = 0;
  if (!parse(text, number) || (number != 0 && (number < least || number > most))) {
    refuse(name, text, wanted);
  }
  return number;
}

Settings read() {
  Settings settings;
  const char* const enabled = std::getenv("KUMIKO_PTHREAD");
  if (enabled != nullptr && *enabled != '\0') {
    const std::string_view value(enabled);
    if (value != "0" && value != "1") {
      refuse("KUMIKO_PTHREAD", enabled, "give 0 to leave threads to the C library, or 1");
    }
    settings.enabled = value == "1";
  }
  settings.workers = static_cast<int>(
      number_of("KUMIKO_PTHREAD_WORKERS", 1, kMostWorkers,
                "give a number of workers from 1 to 4096, or 0 for all available cores"));
  settings.stack_size = number_of("KUMIKO_PTHREAD_STACK", kSmallestStack, kLargestStack,
                                  "give bytes, from 16K to 1024G, or 0 for the usual size");
  return settings;
}

constinit Settings known{};
constinit std::atomic<bool> is_known{false};

/// Reads the settings before main(), so that a mistake does not stop a program in the middle of its
/// work.
[[gnu::constructor]] void read_early() { settings(); }

}  // namespace

const Settings& settings() noexcept {
  // acquire: pairs with the release below. Two threads may read at once: they write the same.
  if (!is_known.load(std::memory_order_acquire)) [[unlikely]] {
    known = read();
    is_known.store(true, std::memory_order_release);
  }
  return known;
}

}  // namespace kumiko::pthread
