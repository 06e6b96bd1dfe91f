# ctest `lint.format`: every source is as clang-format would write it.
set(files "")
foreach(folder IN ITEMS src mdp oracle plots experiments deep python examples tests)
  file(GLOB_RECURSE found "${ROOT}/${folder}/*.hpp" "${ROOT}/${folder}/*.cpp")
  list(APPEND files ${found})
endforeach()
execute_process(COMMAND ${CLANG_FORMAT} --dry-run --Werror ${files} RESULT_VARIABLE bad
                ERROR_VARIABLE report)
if(bad)
  message(FATAL_ERROR "clang-format -i would change:\n${report}")
endif()
