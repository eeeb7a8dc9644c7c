#include "record/valgrind_stacks.hpp"

#ifdef KUMIKO_HAS_VALGRIND
#include <valgrind/valgrind.h>
#endif

namespace kumiko::runtime::detail {

#ifdef KUMIKO_HAS_VALGRIND
unsigned register_stack(const void* bottom, const void* top) noexcept {
  return VALGRIND_STACK_REGISTER(bottom, top);
}
void forget_stack(unsigned number) noexcept { VALGRIND_STACK_DEREGISTER(number); }
#else
unsigned register_stack(const void*, const void*) noexcept { return 0; }
void forget_stack(unsigned) noexcept {}
#endif

}  // namespace kumiko::runtime::detail
