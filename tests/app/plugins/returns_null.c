/* Wrong: the entry returns nothing. */
#include <kumiko/plugin/plugin_abi.h>

__attribute__((visibility("default"))) const kumiko_plugin* kumiko_plugin_entry(void) {
  return NULL;
}
