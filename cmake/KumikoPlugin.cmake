# kumiko_add_plugin(NAME SOURCES...): a shared object NAME.so of solvers or cases, from sources of which
# one ends with KUMIKO_PLUGIN(Class...). Its symbols are its own, and none may be missing.
function(kumiko_add_plugin name)
  if(NOT ARGN)
    message(FATAL_ERROR "kumiko_add_plugin(${name}): name its source files too")
  endif()
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    message(STATUS "${name}: optimised, as CMAKE_BUILD_TYPE does not say")
    set(optimised $<$<COMPILE_LANGUAGE:CXX>:-O3>)
  endif()
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE kumiko::plugin)
  # A frame larger than a stack's guard region would jump over it, into memory that is somebody's.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(guarded $<$<COMPILE_LANGUAGE:CXX>:-fstack-clash-protection>)
  endif()
  # As in Kumiko: reports of faults name places in the source. Debug information keeps its paths.
  target_compile_options(${name} PRIVATE ${optimised} ${guarded} -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so"
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(NOT KUMIKO_SANITIZER)  # whose functions are the program's
    target_link_options(${name} PRIVATE LINKER:-z,defs)
  endif()
endfunction()
