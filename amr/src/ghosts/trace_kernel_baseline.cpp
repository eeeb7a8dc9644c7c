#define KUMIKO_KERNEL_NAME trace_baseline
#include "ghosts/trace_kernel_body.hpp"
