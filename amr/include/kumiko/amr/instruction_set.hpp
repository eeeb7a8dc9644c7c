// Chooses the widest vector instructions that the processor has and the user allows.
#pragma once

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
  switch (instruction_set()) {
    case InstructionSet::kAvx512:
      return avx512;
    case InstructionSet::kAvx2:
      return avx2;
    case InstructionSet::kBaseline:
      break;
  }
  return baseline;
}

}  // namespace kumiko::amr
