// Reads the environment variables that configure libkumiko_pthread.
#pragma once

#include <cstddef>

namespace kumiko::pthread {

/// What the environment says.
struct Settings {
  bool enabled = true;         ///< KUMIKO_PTHREAD; 0: every call is the C library's
  int workers = 0;             ///< KUMIKO_PTHREAD_WORKERS; 0: the available cores
  std::size_t stack_size = 0;  ///< KUMIKO_PTHREAD_STACK; 0: the C library's default
};

/// Read at the first call, which is before main(). A value that makes no sense ends the process
/// with a line on stderr and exit code 2.
const Settings& settings() noexcept;

}  // namespace kumiko::pthread
