/* Wrong: leaves `size` at 0, so that none of what it offers would be there. */
#include <kumiko/plugin/plugin_abi.h>

__attribute__((visibility("default"))) const kumiko_plugin* kumiko_plugin_entry(void) {
  static const kumiko_plugin plugin = {.abi_version = KUMIKO_ABI_VERSION,
                                       .built_with = "a compiler",
                                       .solvers = (const kumiko_solver_entry* const*)8,
                                       .solver_count = 3};
  return &plugin;
}
