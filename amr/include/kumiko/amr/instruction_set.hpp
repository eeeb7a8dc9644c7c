// Chooses the widest vector instructions that the processor has and the user allows.
#pragma once

#include <cstddef>
#include <iterator>

namespace kumiko::amr {

/// Instruction sets that kernels are compiled for, the smallest first.
enum class InstructionSet {
  kBaseline,  ///< that of the whole program
  kAvx2,
  kAvx512  ///< F, DQ and VL
};

/// The best instruction set that this processor has. The environment variable KUMIKO_ISA (baseline,
/// avx2, avx512) lowers the choice; results do not depend on it. An empty one counts as unset.
/// Throws std::invalid_argument if the variable has any other value.
InstructionSet instruction_set();

/// Chooses one of three functions of one type, by instruction_set().
template <class Function>
Function select(Function baseline, Function avx2, Function avx512) {
  const Function functions[] = {baseline, avx2, avx512};
  static_assert(std::size(functions) == static_cast<std::size_t>(InstructionSet::kAvx512) + 1);
  return functions[static_cast<int>(instruction_set())];
}

}  // namespace kumiko::amr
