#define KUMIKO_KERNEL_NAME advance_baseline
#include "kernel_body.hpp"
