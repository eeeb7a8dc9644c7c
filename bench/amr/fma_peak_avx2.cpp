#define KUMIKO_FMA_LOOP fma_loop_avx2
#define KUMIKO_FMA_BYTES 32
#include "fma_peak_body.hpp"
