#define KUMIKO_KERNEL_NAME step_baseline
#include "kernel_body.hpp"
