# kumiko_list_modules(VARIABLE KIND...): the modules of these kinds, from modules.txt, in its order.
function(kumiko_list_modules variable)
  set(list ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/modules.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  list(JOIN ARGN "|" kinds)
  file(STRINGS ${list} modules REGEX "^[a-z]+ +(${kinds})( |$)")
  list(TRANSFORM modules REPLACE " .*" "")
  set(${variable} ${modules} PARENT_SCOPE)
endfunction()

# Flags that every target of the project shares.
add_library(kumiko_flags INTERFACE)
target_compile_options(kumiko_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual>
  # GCC 12 sees overlapping copies within std::string where there are none (its bug 105651).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  # GCC collects its own garbage from 1 GB on instead of 128 MiB, which saves a tenth of its time for a third more memory.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1000000>
  # Reports of faults name places in the source, and not where it was built. Debug information keeps its paths.
  -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${KUMIKO_WARNINGS_AS_ERRORS}>>:-Werror>)
# The debugging information of sanitizers' reports is the build type's.
if(KUMIKO_SANITIZER STREQUAL "address")
  set(sanitizers -fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")  # libFuzzer's own main() only where it is linked: tests/fuzz
    set(sanitizers -fsanitize=address,undefined,fuzzer-no-link)
  endif()
  # The library looks at indices itself: a place behind a vector's end may lie in memory that is somebody's.
  target_compile_options(kumiko_flags INTERFACE
    ${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS)
  target_link_options(kumiko_flags INTERFACE ${sanitizers})
elseif(KUMIKO_SANITIZER STREQUAL "thread")
  target_compile_options(kumiko_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(kumiko_flags INTERFACE -fsanitize=thread)
elseif(KUMIKO_SANITIZER)
  message(FATAL_ERROR
    "KUMIKO_SANITIZER is '${KUMIKO_SANITIZER}'; use 'address', 'thread' or leave it empty")
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

# kumiko_check_headers(TARGET FOLDER...): with KUMIKO_CHECK_HEADERS, target headers_alone compiles each header below
# the folders by itself, as the target's sources see it: large units and precompiled headers hide a missing include.
option(KUMIKO_CHECK_HEADERS "Offer target headers_alone, which compiles each header by itself" OFF)
if(KUMIKO_CHECK_HEADERS)
  add_custom_target(headers_alone)
endif()
function(kumiko_check_headers target)
  if(NOT KUMIKO_CHECK_HEADERS)
    return()
  endif()
  set(sources "")
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.hpp)
    foreach(header IN LISTS headers)
      file(RELATIVE_PATH name ${CMAKE_CURRENT_SOURCE_DIR} ${header})
      set(source ${CMAKE_CURRENT_BINARY_DIR}/headers_alone/${name}.cpp)
      file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"  // IWYU pragma: keep\n")
      list(APPEND sources ${source})
    endforeach()
  endforeach()
  if(NOT sources)
    return()
  endif()
  add_library(${target}_headers OBJECT EXCLUDE_FROM_ALL ${sources})
  foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS LINK_LIBRARIES)
    get_target_property(value ${target} ${property})
    if(value)
      set_target_properties(${target}_headers PROPERTIES ${property} "${value}")
    endif()
  endforeach()
  # A header's functions are nobody's yet; it is only parsed.
  target_compile_options(${target}_headers PRIVATE -Wno-unused -O0)
  set_target_properties(${target}_headers PROPERTIES UNITY_BUILD OFF EXPORT_COMPILE_COMMANDS OFF)
  add_dependencies(headers_alone ${target}_headers)
endfunction()

# kumiko_kernels(VARIABLE BODY FUNCTION [OPTION...]): names in VARIABLE sources that compile the header BODY once for each
# instruction set, in which it defines the functions FUNCTION_baseline, FUNCTION_avx2 and FUNCTION_avx512. They belong to
# targets of the folder that calls this.
function(kumiko_kernels variable body function)
  set(avx2 -mavx2)
  set(avx512 -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512)
  set(all "")
  foreach(instructions baseline avx2 avx512)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${body}_${instructions}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT
      "#define KUMIKO_KERNEL_NAME ${function}_${instructions}\n#include \"${CMAKE_CURRENT_SOURCE_DIR}/${body}\"\n" @ONLY)
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -O3 ${ARGN})
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS ${${instructions}})
    endif()
    list(APPEND all ${source})
  endforeach()
  set(${variable} ${all} PARENT_SCOPE)
endfunction()

# Where programs find the shipped plugins: the same in the build tree as in the installed one.
file(RELATIVE_PATH KUMIKO_PLUGINS_FROM_PROGRAMS
  ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/kumiko/plugins)
file(RELATIVE_PATH KUMIKO_LIBRARIES_FROM_PROGRAMS ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/kumiko)
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
  add_dependencies(kumiko_registry ${name})  # so that what loads plugins finds them
endfunction()
