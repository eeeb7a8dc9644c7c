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
  list(APPEND targets kumiko_interface kumiko_plugin)
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
# Of the modules that are libraries here all public headers; of the others those that plugins include.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(NOT KUMIKO_RUNTIME_ONLY)
  set(amr_headers case cubic_weights entry face_fluxes geometry instruction_set parameter patch_id patch_view solver)
  list(TRANSFORM amr_headers REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/amr/include/kumiko/amr/\\1.hpp")
  install(FILES ${amr_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kumiko/amr)
  set(plugin_headers face_velocities.hpp patch_fluxes.hpp plugin.hpp plugin_abi.h detail/plugin_table.hpp)
  foreach(header IN LISTS plugin_headers)
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES ${PROJECT_SOURCE_DIR}/plugin/include/kumiko/plugin/${header}
      DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kumiko/plugin/${folder})
  endforeach()
endif()
