# Optional parts of the system, each used only if all of it is there. They are looked for here, whenever Kumiko is
# configured, and sources learn of them by definitions. A source that looked by itself, by __has_include, would not be
# compiled anew when a package comes later.

# kumiko_find_part(PREFIX HEADER header [LIBRARY library]): sets PREFIX_FOUND, and PREFIX_LIBRARY to the library or to
# nothing. Nothing is cached, since packages come and go. The header must lie where the compiler looks by default.
function(kumiko_find_part prefix)
  cmake_parse_arguments(ARG "" "HEADER;LIBRARY" "" ${ARGN})
  unset(folder)
  unset(library)
  find_path(folder ${ARG_HEADER} PATHS ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES} NO_DEFAULT_PATH
    NO_CMAKE_FIND_ROOT_PATH NO_CACHE)
  if(ARG_LIBRARY)
    find_library(library ${ARG_LIBRARY} NO_CACHE)
  endif()
  if(folder AND (library OR NOT ARG_LIBRARY))
    set(${prefix}_FOUND ON PARENT_SCOPE)
    set(${prefix}_LIBRARY "${library}" PARENT_SCOPE)
  else()
    set(${prefix}_FOUND OFF PARENT_SCOPE)
    set(${prefix}_LIBRARY "" PARENT_SCOPE)
  endif()
endfunction()

# kumiko_note_part(TITLE FOUND): lists a part among what the build is made with, or without.
function(kumiko_note_part title found)
  if(found)
    set_property(GLOBAL APPEND PROPERTY KUMIKO_MADE_WITH "${title}")
  else()
    set_property(GLOBAL APPEND PROPERTY KUMIKO_MADE_WITHOUT "${title}")
  endif()
endfunction()

# kumiko_made_with(VARIABLE): "with A, B; without C", of the parts noted so far.
function(kumiko_made_with variable)
  get_property(with GLOBAL PROPERTY KUMIKO_MADE_WITH)
  get_property(without GLOBAL PROPERTY KUMIKO_MADE_WITHOUT)
  set(clauses "")
  foreach(list IN ITEMS with without)
    if(${list})
      list(JOIN ${list} ", " titles)
      list(APPEND clauses "${list} ${titles}")
    endif()
  endforeach()
  list(JOIN clauses "; " text)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# Which processors share a cache. The runtime can do without, e.g. in a cross build.
kumiko_find_part(KUMIKO_HWLOC HEADER hwloc.h LIBRARY hwloc)
kumiko_note_part(hwloc ${KUMIKO_HWLOC_FOUND})
if(NOT KUMIKO_HWLOC_FOUND AND NOT CMAKE_CROSSCOMPILING)
  message(WARNING "hwloc is missing, so idle workers will not prefer to steal within their cache; "
    "install libhwloc-dev (scripts/setup does)")
endif()

# io_uring. Without it I/O goes by epoll.
kumiko_find_part(KUMIKO_LIBURING HEADER liburing.h LIBRARY uring)
kumiko_note_part(liburing ${KUMIKO_LIBURING_FOUND})
if(NOT KUMIKO_LIBURING_FOUND AND NOT CMAKE_CROSSCOMPILING)
  message(WARNING "liburing is missing, so I/O will go by epoll; install liburing-dev (scripts/setup does)")
endif()

# Cases as formulas. Without it the case "expression" says what to install.
if(NOT KUMIKO_RUNTIME_ONLY)
  kumiko_find_part(KUMIKO_MUPARSER HEADER muParser.h LIBRARY muparser)
  kumiko_note_part("formulas (muParser)" ${KUMIKO_MUPARSER_FOUND})
  if(NOT KUMIKO_MUPARSER_FOUND AND NOT CMAKE_CROSSCOMPILING)
    message(WARNING "muParser is missing, so cases as formulas (case.name = \"expression\") will not run; "
      "install libmuparser-dev (scripts/setup does)")
  endif()
endif()

# Valgrind's tools know the stacks of lightweight threads only if the runtime was compiled with its header.
if(KUMIKO_WITH_VALGRIND)
  kumiko_find_part(KUMIKO_VALGRIND HEADER valgrind/valgrind.h)
else()
  set(KUMIKO_VALGRIND_FOUND OFF)
endif()
kumiko_note_part("Valgrind support" ${KUMIKO_VALGRIND_FOUND})

# kumiko_define_valgrind(SOURCE): for the source that speaks to Valgrind, called in the folder of each target that
# compiles it. It is compiled by itself, so that nothing else is compiled anew when Valgrind comes.
function(kumiko_define_valgrind source)
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(KUMIKO_VALGRIND_FOUND)
    set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS KUMIKO_HAS_VALGRIND)
  endif()
endfunction()
