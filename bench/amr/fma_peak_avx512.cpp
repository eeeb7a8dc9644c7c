#define KUMIKO_FMA_LOOP fma_loop_avx512
#define KUMIKO_FMA_BYTES 64
#include "fma_peak_body.hpp"
