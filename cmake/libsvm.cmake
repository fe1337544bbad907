# LIBSVM (Debian: libsvm-dev) has no CMake package of its own; this makes the target libsvm::svm.
find_path(LIBSVM_INCLUDE_DIR libsvm/svm.h REQUIRED)
find_library(LIBSVM_LIBRARY svm REQUIRED)
mark_as_advanced(LIBSVM_INCLUDE_DIR LIBSVM_LIBRARY)
if(NOT TARGET libsvm::svm)
  add_library(libsvm::svm UNKNOWN IMPORTED)
  set_target_properties(libsvm::svm PROPERTIES
    IMPORTED_LOCATION ${LIBSVM_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${LIBSVM_INCLUDE_DIR})
endif()
