// Body of the kernel; included by one source file per instruction set, which defines
// KUMIKO_KERNEL_NAME. It uses no library code and nothing of it is seen by other files: an
// inline function shared with other files could end up in them with instructions that their
// processor lacks.
#include "kernel.hpp"
#include "sine_forms.hpp"

namespace kumiko::cases {

void KUMIKO_KERNEL_NAME(const double* x, std::size_t count, double periods,
                        double* __restrict squared, double* __restrict doubled) {
  for (std::size_t at = 0; at < count; ++at) {
    const SineForms forms = sine_forms(periods * x[at]);
    squared[at] = forms.squared;
    doubled[at] = forms.doubled;
  }
}

}  // namespace kumiko::cases
