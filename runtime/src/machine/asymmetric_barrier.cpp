#include "machine/asymmetric_barrier.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kumiko::runtime::detail {

namespace {

bool membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0) == 0; }

}  // namespace

AsymmetricBarrier::AsymmetricBarrier() noexcept
    : kernel_helps_(membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)) {}

void AsymmetricBarrier::heavy() noexcept {
  if (kernel_helps_) {
    membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  } else {
    meet();
  }
}

}  // namespace kumiko::runtime::detail
