// Wrong: the default lies outside its own range.
#include "still.hpp"

namespace {

class BadDefault final : public kumiko::test::Still {
 public:
  static kumiko::amr::Description describe() {
    return {"bad_default", "refuses its own default", {{"weight", 5.0, "of nothing", 0.0, 1.0}}};
  }
  explicit BadDefault(const kumiko::amr::ParameterSet&) {}
};

}  // namespace

KUMIKO_PLUGIN(BadDefault)
