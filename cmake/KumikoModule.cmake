# Flags that every target of the project shares.
add_library(kumiko_flags INTERFACE)
target_compile_options(kumiko_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual>
  # GCC 12 sees overlapping copies within std::string where there are none (its bug 105651).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${KUMIKO_WARNINGS_AS_ERRORS}>>:-Werror>)
# The debugging information of sanitizers' reports is the build type's.
if(KUMIKO_SANITIZER STREQUAL "address")
  target_compile_options(kumiko_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(kumiko_flags INTERFACE -fsanitize=address,undefined)
elseif(KUMIKO_SANITIZER STREQUAL "thread")
  target_compile_options(kumiko_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(kumiko_flags INTERFACE -fsanitize=thread)
elseif(KUMIKO_SANITIZER STREQUAL "fuzzer")
  # libFuzzer's own main() only where it is linked: tests/fuzz.
  target_compile_options(kumiko_flags INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(kumiko_flags INTERFACE -fsanitize=fuzzer-no-link,address,undefined)
elseif(KUMIKO_SANITIZER)
  message(FATAL_ERROR
    "KUMIKO_SANITIZER is '${KUMIKO_SANITIZER}'; use 'address', 'thread', 'fuzzer' or leave it empty")
endif()

# kumiko_module(NAME SOURCES ... [PUBLIC targets] [PRIVATE targets])
# A module is a static library kumiko_NAME, alias kumiko::NAME, with its public headers in NAME/include.
function(kumiko_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(kumiko_${name} STATIC ${ARG_SOURCES})
  add_library(kumiko::${name} ALIAS kumiko_${name})
  target_include_directories(kumiko_${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_compile_features(kumiko_${name} PUBLIC cxx_std_20)
  # Fused multiply-adds would let the bits depend on the compiler's mood and the instruction set. The
  # runtime, which others use too, has no numerics.
  if(NOT name STREQUAL "runtime")
    target_compile_options(kumiko_${name} PUBLIC $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
  endif()
  target_link_libraries(kumiko_${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  if(KUMIKO_SANITIZER)  # which programs link too
    target_link_libraries(kumiko_${name} PRIVATE $<BUILD_INTERFACE:kumiko_flags>)
  else()  # not a link, for it would have to be exported
    target_compile_options(kumiko_${name} PRIVATE $<TARGET_PROPERTY:kumiko_flags,INTERFACE_COMPILE_OPTIONS>)
  endif()
endfunction()

# Where programs find the shipped plugins: the same in the build tree as in the installed one.
file(RELATIVE_PATH KUMIKO_PLUGINS_FROM_PROGRAMS
  ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/kumiko/plugins)
get_filename_component(KUMIKO_PLUGINS_BUILT
  ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${KUMIKO_PLUGINS_FROM_PROGRAMS} ABSOLUTE)

# kumiko_ship(solver|case NAME SOURCES...): a plugin that comes with Kumiko, as solver_NAME or case_NAME.
function(kumiko_ship kind base)
  set(name ${kind}_${base})
  kumiko_add_plugin(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE kumiko_flags)
  target_precompile_headers(${name} REUSE_FROM kumiko_plugin_prelude)
  set_target_properties(${name} PROPERTIES DEFINE_SYMBOL "" LIBRARY_OUTPUT_DIRECTORY ${KUMIKO_PLUGINS_BUILT})
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/kumiko/plugins)
  add_dependencies(kumiko_solvers ${name})  # so that what loads plugins finds them
endfunction()
