// Gives the patches of a list but the first one other bits than one by one.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class ListDiffers final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"list_differs", "gives patches of a list other bits than one by one", {}};
  }

  explicit ListDiffers(const amr::ParameterSet&) : Upwind1(describe()) {
    traits_.list_kernel = true;
  }
  void advance_list(std::span<const amr::PatchAdvance> list) const override {
    Upwind1::advance_list(list);
    for (const amr::PatchAdvance& one : list.subspan(1)) one.after(5, 5) *= 1.0 + 1e-15;
  }
};

amr::Factory<amr::Solver> list_differs() { return amr::factory_of<amr::Solver, ListDiffers>(); }

}  // namespace kumiko::broken
