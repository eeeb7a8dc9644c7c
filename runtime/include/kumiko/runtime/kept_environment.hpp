// Keeps the floating-point environment, the locale and the signal mask while foreign code runs.
#pragma once

#include <cfenv>
#include <csignal>
#include <locale>
#include <string>

namespace kumiko::runtime {

/// Remembers three settings that a shared object can change for the whole process while it is
/// loaded: the floating-point environment of the calling thread (rounding, traps, and flushing of
/// subnormal numbers to 0, for which linking with -ffast-math is enough), the thread's signal mask,
/// and the program's locale. New threads inherit the first two. The thread that constructs it must
/// call restore(). Cost: some microseconds.
class KeptEnvironment {
 public:
  KeptEnvironment();
  KeptEnvironment(const KeptEnvironment&) = delete;
  KeptEnvironment& operator=(const KeptEnvironment&) = delete;

  /// Undoes the changes. \return the names of what had changed, such as "the locale and the signal
  /// mask"; empty if nothing had
  std::string restore();

 private:
  std::fenv_t floating_point_;
  std::locale locale_;
  std::string c_locale_;
  sigset_t signals_;
};

}  // namespace kumiko::runtime
