# Makes find_package(kumiko) work, from an install tree and from this build tree.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kumiko)
configure_file(${PROJECT_SOURCE_DIR}/cmake/kumiko-config.cmake.in ${PROJECT_BINARY_DIR}/kumiko-config.cmake COPYONLY)
if(NOT KUMIKO_RUNTIME_ONLY)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/KumikoPlugin.cmake ${PROJECT_BINARY_DIR}/KumikoPlugin.cmake COPYONLY)
  install(FILES ${PROJECT_BINARY_DIR}/KumikoPlugin.cmake DESTINATION ${package_dir})
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kumiko-config-version.cmake COMPATIBILITY SameMinorVersion)

set(targets kumiko_runtime)
if(NOT KUMIKO_RUNTIME_ONLY)
  list(APPEND targets kumiko_cluster kumiko_interface kumiko_plugin kumiko_engine kumiko_registry kumiko_io kumiko_amr)
endif()
foreach(target IN LISTS targets)
  string(REPLACE "kumiko_" "" exported ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${exported})
endforeach()
install(TARGETS ${targets} EXPORT kumiko-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT kumiko-targets NAMESPACE kumiko:: DESTINATION ${package_dir})
if(NOT KUMIKO_SANITIZER)  # what is built against a sanitizer's libraries needs it too
  export(EXPORT kumiko-targets NAMESPACE kumiko:: FILE ${PROJECT_BINARY_DIR}/kumiko-targets.cmake)
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
