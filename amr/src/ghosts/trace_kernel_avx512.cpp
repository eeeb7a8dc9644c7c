#define KUMIKO_KERNEL_NAME trace_avx512
#include "ghosts/trace_kernel_body.hpp"
