// Wrong: describe() throws, so that nobody knows what there is.
#include <stdexcept>

#include "still.hpp"

namespace {

class ThrowsInDescribe final : public kumiko::test::Still {
 public:
  static kumiko::amr::Description describe() {
    throw std::runtime_error("the list of schemes is missing");
  }
  explicit ThrowsInDescribe(const kumiko::amr::ParameterSet&) {}
};

}  // namespace

KUMIKO_PLUGIN(ThrowsInDescribe)
