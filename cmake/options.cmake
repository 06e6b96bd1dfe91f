# The only home of compiler flags. No -ffast-math and no -march=native: published numbers must be
# the same on every x86-64 machine.
add_library(speder_options INTERFACE)
target_compile_options(speder_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -ffp-contract=off
                                                $<$<BOOL:${SPEDER_WERROR}>:-Werror>)
# Programs that others can feed with files: position-independent, every symbol bound and its table read-only
# before main, canaries, checked buffers (tests/security/programs.sh). -fPIC, so that the same objects make
# the Python modules; nobody replaces a function of ours at load time, so the compiler may inline as ever.
set(program $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
target_compile_options(speder_options INTERFACE -fstack-protector-strong -fPIC -fno-semantic-interposition)
target_link_options(speder_options INTERFACE LINKER:-z,relro,-z,now $<${program}:-pie>)
if(NOT SPEDER_SANITIZERS AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  target_compile_options(speder_options INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
# A unit of Eigen's templates lives in a gigabyte: the compiler's default is to search it for garbage all the
# time, which is a tenth of its work.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(speder_options INTERFACE --param=ggc-min-expand=300 --param=ggc-min-heapsize=1000000)
endif()
# A fast linker, when there is one.
include(CheckLinkerFlag)
foreach(linker IN ITEMS mold lld)
  check_linker_flag(CXX -fuse-ld=${linker} SPEDER_LINKER_${linker})
  if(SPEDER_LINKER_${linker})
    target_link_options(speder_options INTERFACE -fuse-ld=${linker})
    break()
  endif()
endforeach()
if(SPEDER_BUILD_FUZZERS)  # coverage for libFuzzer in every library; its main in the fuzzer alone
  target_compile_options(speder_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(SPEDER_SANITIZERS)
  target_compile_options(speder_options INTERFACE -fsanitize=${SPEDER_SANITIZERS}
                                                  -fno-sanitize-recover=undefined
                                                  -fno-omit-frame-pointer)
  target_link_options(speder_options INTERFACE -fsanitize=${SPEDER_SANITIZERS})
  # A check at every access through a pointer is a third of a sanitized build's time; what it would find
  # AddressSanitizer finds where it does harm. The fuzzers keep them.
  if(NOT SPEDER_BUILD_FUZZERS)
    target_compile_options(speder_options INTERFACE -fno-sanitize=null,alignment,vptr,object-size,pointer-overflow)
  endif()
endif()
# Parsing a command line is not worth a second of optimisation.
set(SPEDER_CLI_OPTIONS -O1)
