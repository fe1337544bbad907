# Warnings and sanitizers for our own code; third-party headers are system headers and stay silent.
add_library(vestige_warnings INTERFACE)
target_compile_options(vestige_warnings INTERFACE
  $<BUILD_INTERFACE:-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Werror>
  # Same bytes on every machine: no fused multiply-add behind our back.
  $<BUILD_INTERFACE:-ffp-contract=off>)
if(VESTIGE_SANITIZE)
  add_compile_options(-fsanitize=${VESTIGE_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${VESTIGE_SANITIZE})
endif()
