/* Wrong: it says that it has made a solver, and gives none. */
#include <kumiko/plugin/plugin_abi.h>

static kumiko_status make_nothing(const void* context, const kumiko_setting* settings, size_t count,
                                  kumiko_solver* solver, kumiko_error* error) {
  (void)context, (void)settings, (void)count, (void)solver, (void)error;
  return KUMIKO_OK;
}

__attribute__((visibility("default"))) const kumiko_plugin* kumiko_plugin_entry(void) {
  static const kumiko_solver_entry nothing = {.size = sizeof(kumiko_solver_entry),
                                              .name = "made_of_nothing",
                                              .help = "is not there when made",
                                              .make = make_nothing};
  static const kumiko_solver_entry* const solvers[] = {&nothing};
  static const kumiko_plugin plugin = {.abi_version = KUMIKO_ABI_VERSION,
                                       .built_with = "by hand",
                                       .size = sizeof(kumiko_plugin),
                                       .solvers = solvers,
                                       .solver_count = 1};
  return &plugin;
}
