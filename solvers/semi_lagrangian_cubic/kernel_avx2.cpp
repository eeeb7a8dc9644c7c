#define KUMIKO_KERNEL_NAME advance_avx2
#include "kernel_body.hpp"
