# What nearly every file includes. A file still names what it uses: presets tidy and fuzz build without.
set(SPEDER_COMMON_HEADERS <Eigen/Dense> <Eigen/Sparse> <fmt/format.h> <algorithm> <cmath> <functional> <map>
                          <string> <vector>)

# speder_library(mdp ROOT <dir that #include starts from> HEADERS … SOURCES … LINK speder::core)
# PRIVATE_LINK: libraries to link; HEADER_ONLY: private and gone once compiled, so never exported.
function(speder_library name)
  cmake_parse_arguments(ARG "" "ROOT" "HEADERS;SOURCES;LINK;PRIVATE_LINK;HEADER_ONLY" ${ARGN})
  list(TRANSFORM ARG_HEADER_ONLY REPLACE "^.+$" "$<BUILD_INTERFACE:\\0>")
  add_library(speder_${name} STATIC ${ARG_SOURCES})
  add_library(speder::${name} ALIAS speder_${name})
  target_sources(speder_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${ARG_ROOT} FILES ${ARG_HEADERS})
  target_compile_features(speder_${name} PUBLIC cxx_std_20)
  target_link_libraries(
    speder_${name}
    PUBLIC ${ARG_LINK}
    PRIVATE $<BUILD_INTERFACE:speder_options> ${ARG_PRIVATE_LINK} ${ARG_HEADER_ONLY})
  set_target_properties(speder_${name} PROPERTIES EXPORT_NAME ${name})
  # One precompiled header for all but core, whose private libraries define macros, and the learner, which
  # adds libtorch.
  if(name MATCHES "^(core|sweep|deep_learn)$")
    target_precompile_headers(speder_${name} PRIVATE ${SPEDER_COMMON_HEADERS})
  else()
    target_precompile_headers(speder_${name} REUSE_FROM speder_sweep)
  endif()
endfunction()
