#define KUMIKO_KERNEL_NAME step_avx512
#include "kernel_body.hpp"
