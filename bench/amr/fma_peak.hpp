// Measures the core's peak: as many fused multiply-adds in double precision as it can take.
#pragma once

#include <vector>

namespace kumiko::bench {

/// Does `rounds` × a fixed number of independent fused multiply-adds in registers.
/// Returns the flops done, two for each number multiplied and added.
using FmaLoop = double (*)(long rounds);

/// One instruction set that this processor has.
struct Peak {
  const char* name;  ///< as in KUMIKO_ISA
  FmaLoop loop;
};

/// Those of them with fused multiply-adds, the narrowest first.
std::vector<Peak> peaks();

/// For peaks() only: the processor must have the instructions.
double fma_loop_avx2(long rounds);
double fma_loop_avx512(long rounds);

}  // namespace kumiko::bench
