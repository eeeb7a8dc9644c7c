// Wrong: as it is loaded it changes for the whole program how numbers are rounded, the locale, and
// which signals come.
#include <cfenv>
#include <clocale>
#include <csignal>

#include "still.hpp"

namespace {

class AltersEnvironment final : public kumiko::test::Still {
 public:
  static kumiko::amr::Description describe() {
    return {"alters_environment", "nobody asks for it", {}};
  }
  explicit AltersEnvironment(const kumiko::amr::ParameterSet&) {}
};

const bool altered = [] {
  std::fesetround(FE_UPWARD);
  std::setlocale(LC_NUMERIC, "C.UTF-8");
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  return pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0;
}();

}  // namespace

KUMIKO_PLUGIN(AltersEnvironment)
