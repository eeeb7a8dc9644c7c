// What code of others may change for its caller, and has no business to.
#pragma once

#include <cfenv>
#include <csignal>
#include <locale>
#include <string>

namespace kumiko::runtime {

/// Remembers what a shared object can change for all others as it is loaded: the calling thread's
/// floating-point environment (rounding, traps, subnormal numbers taken for 0; linking with
/// -ffast-math is enough), which threads that it creates inherit, its signal mask, and the
/// program's locale. Used by the thread that has made it. Some microseconds.
class KeptEnvironment {
 public:
  KeptEnvironment();
  KeptEnvironment(const KeptEnvironment&) = delete;
  KeptEnvironment& operator=(const KeptEnvironment&) = delete;

  /// Puts back what has changed. \return what that is, as "the locale and the signal mask"; empty
  /// if nothing has
  std::string restore();

 private:
  std::fenv_t floating_point_;
  std::locale locale_;
  std::string c_locale_;
  sigset_t signals_;
};

}  // namespace kumiko::runtime
