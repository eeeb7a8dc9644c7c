/* Wrong: it mentions the entry and does not export it. */
__attribute__((visibility("default"))) const char* kumiko_tests_text(void) {
  return "kumiko_plugin_entry";
}
