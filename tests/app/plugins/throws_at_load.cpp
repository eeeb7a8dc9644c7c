// Wrong: a static initialiser throws, which ends any program that loads it.
#include <stdexcept>

#include "still.hpp"

namespace kumiko::test {

namespace {

int licence() { throw std::runtime_error("the licence has run out"); }
const int kLicence = licence();

class Unlicensed final : public Still {
 public:
  static amr::Description describe() { return {"unlicensed", "never loaded", {}}; }
  explicit Unlicensed(const amr::ParameterSet&) { traits_.ghosts = kLicence; }
};

}  // namespace

}  // namespace kumiko::test

KUMIKO_PLUGIN(kumiko::test::Unlicensed)
