#include "real.hpp"

#include <atomic>
#include <cstring>

#include <dlfcn.h>
#include <sys/syscall.h>

namespace kumiko::pthread {

namespace {

constinit Real functions{};
constinit std::atomic<bool> known{false};

/// The C library's function of that name. Aborts with a message if it has none.
void* find_real(const char* name) noexcept {
  // Condition variables have an older version of the same name, with another layout.
  void* symbol = nullptr;
  if (std::strncmp(name, "pthread_cond_", 13) == 0) symbol = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
  if (symbol == nullptr) symbol = dlsym(RTLD_NEXT, name);
  if (symbol != nullptr) return symbol;
  static constexpr char kMessage[] = "kumiko: the C library lacks ";
  syscall(SYS_write, STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  syscall(SYS_write, STDERR_FILENO, name, std::strlen(name));
  syscall(SYS_write, STDERR_FILENO, "\n", 1);
  std::abort();
}

/// Looks all functions up. Two threads may do so at once: they write the same.
void find_all() noexcept {
#define KUMIKO_REAL(name) functions.name = reinterpret_cast<decltype(&::name)>(find_real(#name));
#include "real_functions.inc"
#undef KUMIKO_REAL
  // release: pairs with the acquire in real().
  known.store(true, std::memory_order_release);
}

}  // namespace

const Real& real() noexcept {
  // acquire: pairs with the release in find_all().
  if (!known.load(std::memory_order_acquire)) [[unlikely]]
    find_all();
  return functions;
}

}  // namespace kumiko::pthread
