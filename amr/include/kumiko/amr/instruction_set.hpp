// Chooses the widest vector instructions that the processor has and the user allows.
#pragma once

#include <cstddef>
#include <iterator>

namespace kumiko::amr {

/// What kernels are compiled for, the least first.
enum class InstructionSet {
  kBaseline,  ///< what the program as a whole is compiled for
  kAvx2,
  kAvx512  ///< F, DQ and VL
};

/// The best that this processor has. The environment variable KUMIKO_ISA (baseline, avx2, avx512)
/// lowers the choice; results do not depend on it.
/// Throws std::invalid_argument when the variable says anything else.
InstructionSet instruction_set();

/// Chooses among three functions of one type the one that instruction_set() asks for.
template <class Function>
Function select(Function baseline, Function avx2, Function avx512) {
  const Function functions[] = {baseline, avx2, avx512};
  static_assert(std::size(functions) == static_cast<std::size_t>(InstructionSet::kAvx512) + 1);
  return functions[static_cast<int>(instruction_set())];
}

}  // namespace kumiko::amr
