/* Wrong: built for a version of the interface that is not this one's. All else would be read amiss.
 */
#include <kumiko/plugin/plugin_abi.h>

__attribute__((visibility("default"))) const kumiko_plugin* kumiko_plugin_entry(void) {
  static const kumiko_plugin plugin = {.abi_version = 999,
                                       .built_with = "a compiler of another day",
                                       .solvers = (const kumiko_solver_entry* const*)8,
                                       .solver_count = 3};
  return &plugin;
}
