#include <array>
#include <clocale>
#include <cstddef>
#include <vector>

#include <kumiko/runtime/kept_environment.hpp>

namespace kumiko::runtime {

namespace {

/// Rounding, traps and the treatment of subnormal numbers, without the flags of what has happened.
std::array<unsigned, 2> control_of(const std::fenv_t& environment) {
#if defined(__x86_64__)
  constexpr unsigned kFlags = 0x3F;
  return {environment.__control_word, environment.__mxcsr & ~kFlags};
#elif defined(__aarch64__)
  return {environment.__fpcr, 0};
#endif
}

std::fenv_t floating_point_now() {
  std::fenv_t now;
  std::fegetenv(&now);
  return now;
}

std::string c_locale_now() {
  const char* const now = std::setlocale(LC_ALL, nullptr);
  return now == nullptr ? "C" : now;
}

sigset_t signals_now() {
  sigset_t now;
  sigemptyset(&now);
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  return now;
}

bool are_same(const sigset_t& one, const sigset_t& other) {
  for (int number = 1; number < NSIG; ++number) {
    if (sigismember(&one, number) != sigismember(&other, number)) return false;
  }
  return true;
}

}  // namespace

KeptEnvironment::KeptEnvironment()
    : floating_point_(floating_point_now()), c_locale_(c_locale_now()), signals_(signals_now()) {}

std::string KeptEnvironment::restore() {
  std::vector<std::string> changed;
  if (control_of(floating_point_now()) != control_of(floating_point_)) {
    std::fesetenv(&floating_point_);
    changed.emplace_back("the floating-point environment");
  }
  const bool has_other_locale = std::locale() != locale_;
  if (has_other_locale) std::locale::global(locale_);
  const bool has_other_c_locale = c_locale_now() != c_locale_;
  if (has_other_c_locale) std::setlocale(LC_ALL, c_locale_.c_str());
  if (has_other_locale || has_other_c_locale) changed.emplace_back("the locale");
  if (!are_same(signals_now(), signals_)) {
    pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
    changed.emplace_back("the signal mask");
  }
  std::string words;
  for (std::size_t at = 0; at < changed.size(); ++at) {
    if (at > 0) words += at + 1 == changed.size() ? " and " : ", ";
    words += changed[at];
  }
  return words;
}

}  // namespace kumiko::runtime
