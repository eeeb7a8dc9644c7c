# Makes find_package(kumiko) work, from an install tree and from this build tree, and installs the pages.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kumiko)
configure_file(${PROJECT_SOURCE_DIR}/cmake/kumiko-config.cmake.in ${PROJECT_BINARY_DIR}/kumiko-config.cmake COPYONLY)
if(NOT KUMIKO_RUNTIME_ONLY)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/KumikoPlugin.cmake ${PROJECT_BINARY_DIR}/KumikoPlugin.cmake COPYONLY)
  install(FILES ${PROJECT_BINARY_DIR}/KumikoPlugin.cmake DESTINATION ${package_dir})
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kumiko-config-version.cmake COMPATIBILITY SameMinorVersion)

# kumiko_export(NAME TARGET...): installs the libraries with a file NAME.cmake of targets that imports them.
function(kumiko_export name)
  foreach(target IN LISTS ARGN)
    string(REPLACE "kumiko_" "" exported ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${exported})
  endforeach()
  install(TARGETS ${ARGN} EXPORT ${name} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT ${name} NAMESPACE kumiko:: DESTINATION ${package_dir})
  if(NOT KUMIKO_SANITIZER)  # what is built against a sanitizer's libraries needs it too
    export(EXPORT ${name} NAMESPACE kumiko:: FILE ${PROJECT_BINARY_DIR}/${name}.cmake)
  endif()
endfunction()
# One file for all targets that need no packages, and one for those of each component that does: it is read only if they
# are there.
if(KUMIKO_RUNTIME_ONLY)
  kumiko_export(kumiko-targets kumiko_runtime)
else()
  kumiko_export(kumiko-targets kumiko_runtime kumiko_cluster kumiko_search)
  kumiko_export(kumiko-plugin-targets kumiko_interface kumiko_plugin)
  kumiko_export(kumiko-amr-targets kumiko_engine kumiko_registry kumiko_io kumiko_amr)
endif()
install(FILES ${PROJECT_BINARY_DIR}/kumiko-config.cmake ${PROJECT_BINARY_DIR}/kumiko-config-version.cmake
  DESTINATION ${package_dir})
# The public headers of the modules that are libraries here, but for those that only Kumiko's own command has a use for.
kumiko_list_modules(libraries library)
foreach(module IN LISTS KUMIKO_MODULES)
  if(NOT module IN_LIST libraries)
    continue()
  endif()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${module}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    PATTERN kumiko/amr/require.hpp EXCLUDE
    PATTERN kumiko/io/nearest.hpp EXCLUDE
    PATTERN kumiko/plugin/templates.hpp EXCLUDE)
endforeach()

# The pages, in the folders that their links to each other name.
install(FILES README.md CHANGELOG.md CITATION.cff LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN Doxyfile EXCLUDE PATTERN namespaces.dox EXCLUDE)
