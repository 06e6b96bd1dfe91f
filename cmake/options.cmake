# The only home of compiler flags. No -ffast-math and no -march=native: published numbers must be
# the same on every x86-64 machine.
add_library(speder_options INTERFACE)
target_compile_options(
  speder_options
  INTERFACE -Wall -Wextra -Wconversion -Wshadow -ffp-contract=off
            $<$<BOOL:${SPEDER_WERROR}>:-Werror>
            $<$<BOOL:${SPEDER_SANITIZE}>:-fsanitize=address,undefined
            -fno-sanitize-recover=undefined -fno-omit-frame-pointer>)
if(SPEDER_BUILD_FUZZERS)  # coverage for libFuzzer in every library; its main in the fuzzer alone
  target_compile_options(speder_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined
                                                  -fno-sanitize-recover=undefined)
  target_link_options(speder_options INTERFACE -fsanitize=address,undefined)
endif()
target_link_options(speder_options INTERFACE
                    $<$<BOOL:${SPEDER_SANITIZE}>:-fsanitize=address,undefined>)
