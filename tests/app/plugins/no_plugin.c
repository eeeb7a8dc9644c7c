/* Wrong: a shared object like any other, without the entry. In a folder of plugins it may lie. */
__attribute__((visibility("default"))) int kumiko_tests_answer(void) { return 42; }
