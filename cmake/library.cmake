# speder_library(mdp ROOT <dir that #include starts from> HEADERS … SOURCES … LINK speder::core)
function(speder_library name)
  cmake_parse_arguments(ARG "" "ROOT" "HEADERS;SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(speder_${name} STATIC ${ARG_SOURCES})
  add_library(speder::${name} ALIAS speder_${name})
  target_sources(speder_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${ARG_ROOT} FILES ${ARG_HEADERS})
  target_compile_features(speder_${name} PUBLIC cxx_std_20)
  target_link_libraries(
    speder_${name}
    PUBLIC ${ARG_LINK}
    PRIVATE $<BUILD_INTERFACE:speder_options> ${ARG_PRIVATE_LINK})
  set_target_properties(speder_${name} PROPERTIES EXPORT_NAME ${name})
endfunction()

# Links a private dependency without re-exporting it and without its warnings.
function(speder_system_link target)
  target_link_libraries(${target} PRIVATE ${ARGN})
endfunction()
