/* Wrong: counts a solver, and gives no list of them. */
#include <kumiko/plugin/plugin_abi.h>

__attribute__((visibility("default"))) const kumiko_plugin* kumiko_plugin_entry(void) {
  static const kumiko_plugin plugin = {.abi_version = KUMIKO_ABI_VERSION,
                                       .built_with = "by hand",
                                       .size = sizeof(kumiko_plugin),
                                       .solver_count = 1};
  return &plugin;
}
