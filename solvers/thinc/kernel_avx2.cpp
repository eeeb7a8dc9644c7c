#define KUMIKO_KERNEL_NAME step_avx2
#include "kernel_body.hpp"
