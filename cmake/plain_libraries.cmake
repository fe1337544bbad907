# Libraries that are found by a header and a file: no CMake package (libstemmer), or one that also wants
# programs to be installed (libzip). Makes the targets libzip::zip and libstemmer::stemmer.
function(vestige_plain_library target header library)
  if(TARGET ${target})
    return()
  endif()
  string(MAKE_C_IDENTIFIER "${library}" name)
  string(TOUPPER "VESTIGE_${name}" name)
  find_path(${name}_INCLUDE_DIR ${header} ${ARGN})
  find_library(${name}_LIBRARY ${library} ${ARGN})
  mark_as_advanced(${name}_INCLUDE_DIR ${name}_LIBRARY)
  if(${name}_INCLUDE_DIR AND ${name}_LIBRARY)
    add_library(${target} UNKNOWN IMPORTED)
    set_target_properties(${target} PROPERTIES
      IMPORTED_LOCATION ${${name}_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${${name}_INCLUDE_DIR})
  endif()
endfunction()
vestige_plain_library(libzip::zip zip.h zip REQUIRED)
vestige_plain_library(libstemmer::stemmer libstemmer.h stemmer REQUIRED)
