// Wrong: a name with capitals and a hyphen.
#include "still.hpp"

namespace {

class BadName final : public kumiko::test::Still {
 public:
  static kumiko::amr::Description describe() {
    return {"Bad-Name", "has a name that no key can have", {}};
  }
  explicit BadName(const kumiko::amr::ParameterSet&) {}
};

}  // namespace

KUMIKO_PLUGIN(BadName)
