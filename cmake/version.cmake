# build_info.hpp is written anew at every build and touched only when it changes, so that
# `speder --version` names the commit that was built.
add_custom_target(
  speder_build_info
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION}
          -DBUILD_TYPE=${CMAKE_BUILD_TYPE} -DOUT=${CMAKE_BINARY_DIR}/generated/build_info.hpp -P
          ${CMAKE_CURRENT_SOURCE_DIR}/cmake/write_build_info.cmake
  BYPRODUCTS ${CMAKE_BINARY_DIR}/generated/build_info.hpp
  COMMENT "")
