#define KUMIKO_KERNEL_NAME trace_avx2
#include "ghosts/trace_kernel_body.hpp"
