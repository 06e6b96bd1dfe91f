execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT [[#pragma once
namespace speder {
inline constexpr const char* kVersion = "@VERSION@";
inline constexpr const char* kCommit = "@commit@";
inline constexpr const char* kBuildType = "@BUILD_TYPE@";
}  // namespace speder
]] @ONLY)
