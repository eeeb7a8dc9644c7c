// Wrong: it calls a function that nobody defines.
#include "still.hpp"

void kumiko_tests_defined_nowhere();

namespace {

class Unresolved final : public kumiko::test::Still {
 public:
  static kumiko::amr::Description describe() {
    return {"unresolved", "calls what is not there", {}};
  }
  explicit Unresolved(const kumiko::amr::ParameterSet&) { kumiko_tests_defined_nowhere(); }
};

}  // namespace

KUMIKO_PLUGIN(Unresolved)
