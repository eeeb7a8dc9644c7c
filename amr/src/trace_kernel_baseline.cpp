#define KUMIKO_KERNEL_NAME trace_baseline
#include "trace_kernel_body.hpp"
