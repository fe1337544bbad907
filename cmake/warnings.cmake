# Warnings and sanitizers for our own code; third-party headers are system headers and stay silent.
# Other compilers warn of other things, so that only ours stop the build by default.
option(VESTIGE_WERROR "Warnings are errors" ON)
add_library(vestige_warnings INTERFACE)
target_compile_options(vestige_warnings INTERFACE
  $<BUILD_INTERFACE:-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual>
  $<BUILD_INTERFACE:$<$<BOOL:${VESTIGE_WERROR}>:-Werror>>
  # GCC 12 warns of overlap in std::string + "literal" where there is none (GCC bug 105651).
  $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>>
  # GCC 13 takes references that functions with texts among their arguments return for such to texts.
  $<BUILD_INTERFACE:$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-dangling-reference>>
  # The report page's scripts are strings longer than every compiler must take.
  $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:Clang>:-Wno-overlength-strings>>
  # Same bytes on every machine: no fused multiply-add behind our back.
  $<BUILD_INTERFACE:-ffp-contract=off>)
if(VESTIGE_SANITIZE)
  add_compile_options(-fsanitize=${VESTIGE_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  if(VESTIGE_SANITIZE MATCHES "address.*undefined|undefined.*address")
    # What AddressSanitizer sees at the access itself, and a sixth of the time to compile.
    add_compile_options(-fno-sanitize=null,object-size)
  endif()
  add_link_options(-fsanitize=${VESTIGE_SANITIZE})
endif()
