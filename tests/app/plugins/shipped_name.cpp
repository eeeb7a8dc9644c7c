// Wrong: its name is that of a shipped solver.
#include "still.hpp"

namespace {

class ShippedName final : public kumiko::test::Still {
 public:
  static kumiko::amr::Description describe() { return {"upwind1", "another upwind1", {}}; }
  explicit ShippedName(const kumiko::amr::ParameterSet&) {}
};

}  // namespace

KUMIKO_PLUGIN(ShippedName)
