// Keeps the floating-point environment, the locale and the signal mask while foreign code runs.
#pragma once

#include <cfenv>
#include <csignal>
#include <locale>
#include <string>

namespace kumiko::runtime {

/// Remembers three things that a shared object can change for everybody as it is loaded: the
/// floating-point environment of the calling thread (rounding, traps, subnormal numbers taken for
/// 0; linking with -ffast-math is enough), its signal mask, both of which new threads inherit, and
/// the program's locale. One thread makes it and calls restore(). Takes some microseconds.
class KeptEnvironment {
 public:
  KeptEnvironment();
  KeptEnvironment(const KeptEnvironment&) = delete;
  KeptEnvironment& operator=(const KeptEnvironment&) = delete;

  /// Undoes the changes. \return their names, as "the locale and the signal mask"; empty if there
  /// are none
  std::string restore();

 private:
  std::fenv_t floating_point_;
  std::locale locale_;
  std::string c_locale_;
  sigset_t signals_;
};

}  // namespace kumiko::runtime
