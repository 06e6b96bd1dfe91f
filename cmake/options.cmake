# The only home of compiler flags. No -ffast-math and no -march=native: published numbers must be
# the same on every x86-64 machine.
add_library(speder_options INTERFACE)
target_compile_options(
  speder_options
  INTERFACE -Wall -Wextra -Wconversion -Wshadow -ffp-contract=off
            $<$<BOOL:${SPEDER_WERROR}>:-Werror>
            $<$<BOOL:${SPEDER_SANITIZE}>:-fsanitize=address,undefined
            -fno-sanitize-recover=undefined -fno-omit-frame-pointer>)
target_link_options(speder_options INTERFACE
                    $<$<BOOL:${SPEDER_SANITIZE}>:-fsanitize=address,undefined>)
