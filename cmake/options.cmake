# The only home of compiler flags. No -ffast-math and no -march=native: published numbers must be
# the same on every x86-64 machine.
add_library(speder_options INTERFACE)
target_compile_options(speder_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -ffp-contract=off
                                                $<$<BOOL:${SPEDER_WERROR}>:-Werror>)
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
