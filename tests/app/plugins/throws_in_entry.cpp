// Wrong: the entry, written by hand, lets an exception out.
#include <stdexcept>

#include <kumiko/plugin/plugin_abi.h>

extern "C" __attribute__((visibility("default"))) const kumiko_plugin* kumiko_plugin_entry() {
  throw std::runtime_error("the licence has run out");
}
