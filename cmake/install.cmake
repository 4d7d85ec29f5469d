# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: headers, library, command, CMake package, pkg-config file.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/exactcast ${PROJECT_BINARY_DIR}/include/exactcast
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(TARGETS exactcast EXPORT exactcastTargets)
if(EXACTCAST_BUILD_CLI)
  install(TARGETS exactcast_cli)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/exactcast.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/completion/exactcast.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME exactcast)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/completion/_exactcast
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()

# find_package(exactcast)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/exactcast)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/exactcastConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/exactcastConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/package/exactcastConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/package/exactcastConfig.cmake
  ${PROJECT_BINARY_DIR}/package/exactcastConfigVersion.cmake
  DESTINATION ${package_dir})
install(EXPORT exactcastTargets NAMESPACE exactcast:: DESTINATION ${package_dir})

# pkg-config exactcast. With a static library the plain `--libs` has to name the private packages
# too; with a shared one they stay private. Paths are relative to the file, so a prefix may move.
get_target_property(library_type exactcast TYPE)
list(JOIN exactcast_pkgconfig_packages ", " pc_packages)
if(library_type STREQUAL "STATIC_LIBRARY")
  set(pc_requires "Requires: ${pc_packages}")
  set(pc_libs "-lexactcast ${CMAKE_THREAD_LIBS_INIT}")
else()
  set(pc_requires "Requires.private: ${pc_packages}")
  set(pc_libs "-lexactcast")
endif()
string(STRIP "${pc_libs}" pc_libs)
file(RELATIVE_PATH pc_prefix
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file(cmake/exactcast.pc.in package/exactcast.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/exactcast.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
