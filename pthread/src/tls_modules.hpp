// Gives a recycled thread the initial values of all loaded modules' thread-local variables.
#pragma once

#include <cstddef>

namespace kumiko::pthread {

/// A loaded module's thread-local variables in the static part of every thread's block.
struct TlsModule {
  std::ptrdiff_t offset;  ///< from the thread pointer
  const void* image;      ///< initial values
  std::size_t image_size;
  std::size_t size;  ///< the rest is zero
};

/// Where the static thread-local variables of a program lie, kept up to date with dlopen().
class TlsModules {
 public:
  /// \param libc an address in the C library. Its module is listed apart.
  explicit TlsModules(const void* libc, std::size_t storage_below);

  /// How many modules have been loaded and unloaded so far. Cost: a lock of the dynamic linker.
  unsigned long long changes() const noexcept;

  /// Gives the variables of all modules that changes() has seen, but of the C library and this one,
  /// their initial values in the block of `thread_pointer`, on which nobody runs.
  void renew(void* thread_pointer) const noexcept;

  /// The C library's variables.
  const TlsModule& libc() const noexcept { return libc_; }

 private:
  struct List;

  const List& up_to_date() const noexcept;
  List* read() const noexcept;

  const void* const libc_address_;
  const std::size_t storage_below_;
  TlsModule libc_{};
};

}  // namespace kumiko::pthread
