#define KUMIKO_KERNEL_NAME advance_avx512
#include "kernel_body.hpp"
