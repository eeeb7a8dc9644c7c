/* Wrong: a plugin as version 1 of the interface had it, when lists held the entries themselves. */
#include <stddef.h>
#include <stdint.h>

typedef struct solver_entry_1 {
  const char* name;
  const char* help;
  const void* parameters;
  size_t parameter_count;
  const void* context;
  int32_t (*make)(void);
} solver_entry_1;

typedef struct plugin_1 {
  uint32_t abi_version;
  const char* built_with;
  const char* failure;
  const solver_entry_1* solvers;
  size_t solver_count;
  const void* cases;
  size_t case_count;
} plugin_1;

static int32_t make(void) { return 3; }

__attribute__((visibility("default"))) const void* kumiko_plugin_entry(void) {
  static const solver_entry_1 solvers[] = {
      {.name = "old", .help = "was served by version 1", .make = make}};
  static const plugin_1 plugin = {
      .abi_version = 1, .built_with = "Kumiko of version 1", .solvers = solvers, .solver_count = 1};
  return &plugin;
}
