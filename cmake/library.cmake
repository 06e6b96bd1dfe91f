# What nearly every file includes. A file still names what it uses: presets tidy and fuzz build without.
set(SPEDER_COMMON_HEADERS <speder/core/eigen_instances.hpp> <Eigen/Dense> <Eigen/Sparse> <fmt/format.h> <algorithm> <cmath> <functional> <map>
                          <string> <vector>)

# Every include starts with "speder/", in the build tree as in an installed one: links to the folders.
set(SPEDER_INCLUDE ${CMAKE_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${SPEDER_INCLUDE}/speder)
foreach(folder IN ITEMS src/core src/io src/stats src/sweep src/learning src/cli mdp oracle plots experiments deep)
  get_filename_component(name ${folder} NAME)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${SPEDER_INCLUDE}/speder/${name} SYMBOLIC)
endforeach()

# Several files are compiled as one unit, which saves two thirds of the compiler's time. Names of unnamed
# namespaces therefore differ within a library. -DSPEDER_UNITY=OFF for a quick turn-around on a single file.
option(SPEDER_UNITY "Compile several files of a library as one unit" ON)
function(speder_unity target files)
  if(SPEDER_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
  endif()
endfunction()

# speder_library(mdp HEADERS … SOURCES … LINK speder::core): a folder is a library.
# UNIT: files compiled as one unit (default 10). PRIVATE_LINK: libraries to link; HEADER_ONLY: private and
# gone once compiled, so never exported. OWN_HEADERS: precompiled in addition to the common ones; REUSE: the
# library whose precompiled header serves here too (default core).
function(speder_library name)
  cmake_parse_arguments(ARG "" "UNIT;REUSE" "HEADERS;SOURCES;LINK;PRIVATE_LINK;HEADER_ONLY;OWN_HEADERS" ${ARGN})
  list(TRANSFORM ARG_HEADER_ONLY REPLACE "^.+$" "$<BUILD_INTERFACE:\\0>")
  add_library(speder_${name} STATIC ${ARG_SOURCES})
  add_library(speder::${name} ALIAS speder_${name})
  target_compile_features(speder_${name} PUBLIC cxx_std_20)
  target_include_directories(speder_${name} PUBLIC $<BUILD_INTERFACE:${SPEDER_INCLUDE}>
                                                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(
    speder_${name}
    PUBLIC ${ARG_LINK}
    PRIVATE $<BUILD_INTERFACE:speder_options> ${ARG_PRIVATE_LINK} ${ARG_HEADER_ONLY})
  set_target_properties(speder_${name} PROPERTIES EXPORT_NAME ${name})
  if(NOT ARG_UNIT)
    set(ARG_UNIT 10)
  endif()
  speder_unity(speder_${name} ${ARG_UNIT})
  if(name STREQUAL core OR ARG_OWN_HEADERS)
    target_precompile_headers(speder_${name} PRIVATE ${SPEDER_COMMON_HEADERS} ${ARG_OWN_HEADERS})
  elseif(ARG_REUSE)
    target_precompile_headers(speder_${name} REUSE_FROM speder_${ARG_REUSE})
  else()
    target_precompile_headers(speder_${name} REUSE_FROM speder_core)
  endif()
  if(name MATCHES "^deep_")  # not exported
    return()
  endif()
  file(RELATIVE_PATH here ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "^src/?" "" here "${here}")
  foreach(header IN LISTS ARG_HEADERS)
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/speder/${here}/${folder})
  endforeach()
endfunction()
