// Its kernel for lists keeps its scratch space in a static variable, which all threads write.
#include <thread>

#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class ListsShareScratch final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"lists_share_scratch", "computes lists in values that all threads share", {}};
  }

  explicit ListsShareScratch(const amr::ParameterSet&) : Upwind1(describe()) {
    give_up_fluxes_and_tendency();
    traits_.list_kernel = true;
  }
  void advance_list(std::span<const amr::PatchAdvance> list) const override {
    static double corner;
    const amr::PatchAdvance& head = list.front();
    corner = head.before(0, 0);
    Upwind1::advance_list(list);
    // What a longer computation would take.
    std::this_thread::yield();
    head.after(0, 0) += corner - head.before(0, 0);
  }
};

amr::Factory<amr::Solver> lists_share_scratch() {
  return amr::factory_of<amr::Solver, ListsShareScratch>();
}

}  // namespace kumiko::broken
