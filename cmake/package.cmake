# `cmake --install`: programs, libraries with exported targets, suites, documentation.
# The programs find each other and the MPI module beside themselves, so they live in one folder and
# bin/speder is a link into it.
include(CMakePackageConfigHelpers)
set(programs ${CMAKE_INSTALL_LIBDIR}/speder)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/speder)

install(
  TARGETS speder_core
          speder_io
          speder_stats
          speder_sweep
          speder_mdp
          speder_learning
          speder_oracle
          speder_plots
          speder_experiments
          speder_audit
  EXPORT speder)
install(EXPORT speder FILE speder-targets.cmake NAMESPACE speder:: DESTINATION ${package})
configure_package_config_file(cmake/speder-config.cmake.in
                              ${CMAKE_BINARY_DIR}/generated/speder-config.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/speder-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/speder-config.cmake
              ${CMAKE_BINARY_DIR}/generated/speder-config-version.cmake cmake/system_targets.cmake
        DESTINATION ${package})

install(TARGETS speder RUNTIME DESTINATION ${programs})
if(TARGET speder_mpi)
  install(TARGETS speder_mpi LIBRARY DESTINATION ${programs})
endif()
if(TARGET speder-deep)
  install(TARGETS speder-deep RUNTIME DESTINATION ${programs} OPTIONAL)
  install(DIRECTORY deep/suites deep/policies DESTINATION ${CMAKE_INSTALL_DATADIR}/speder/deep)
endif()
file(RELATIVE_PATH to_programs ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/speder)
file(CREATE_LINK ${to_programs}/speder ${CMAKE_BINARY_DIR}/generated/speder SYMBOLIC)
install(FILES ${CMAKE_BINARY_DIR}/generated/speder DESTINATION ${CMAKE_INSTALL_BINDIR})
set(completions ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(
  CODE "set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${completions}\")
file(MAKE_DIRECTORY \"\${folder}\")
execute_process(COMMAND \"$<TARGET_FILE:speder>\" completion bash OUTPUT_FILE \"\${folder}/speder\"
                COMMAND_ERROR_IS_FATAL ANY)")
install(FILES README.md PAPER.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
