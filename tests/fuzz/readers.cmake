# speder_readers: every reader of foreign bytes, for the fuzzer and for the corpus test. The deep
# column's readers need neither libtorch nor MuJoCo, so their files are compiled here.
add_library(
  speder_readers STATIC
  ${PROJECT_SOURCE_DIR}/deep/train/checkpoint.cpp
  ${PROJECT_SOURCE_DIR}/deep/sim/data/offline.cpp
  ${PROJECT_SOURCE_DIR}/deep/sim/data/part_file.cpp
  ${PROJECT_SOURCE_DIR}/deep/imitate/config.cpp
  ${PROJECT_SOURCE_DIR}/deep/sim/controller.cpp
  ${PROJECT_SOURCE_DIR}/deep/sim/network.cpp
  ${CMAKE_CURRENT_LIST_DIR}/readers.cpp
  ${CMAKE_CURRENT_LIST_DIR}/readers_deep.cpp)
set_target_properties(speder_readers PROPERTIES EXCLUDE_FROM_ALL ON)
speder_unity(speder_readers 10)
target_precompile_headers(speder_readers REUSE_FROM speder_core)
target_include_directories(speder_readers PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(speder_readers PUBLIC speder::audit speder::experiments speder::plots
                                     PRIVATE speder_options)
