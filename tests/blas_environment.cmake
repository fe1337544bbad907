# Sets the kernels of OpenBLAS that the lab is started with on this machine (vestige/base/blas_kernels.h),
# so that tests that compare with it round alike; and one thread, as the lab has unless told otherwise,
# because several tests run side by side. blas_environment leaves OPENBLAS_CORETYPE alone where the machine
# sets it; own_blas_environment does not.
set(own_blas_environment OPENBLAS_NUM_THREADS=1)
if(EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo processor REGEX "^(vendor_id|flags)" LIMIT_COUNT 2)
  if(processor MATCHES " avx512vl")
    list(APPEND own_blas_environment OPENBLAS_CORETYPE=SkylakeX)
  elseif(processor MATCHES "GenuineIntel" AND processor MATCHES " avx2")
    list(APPEND own_blas_environment OPENBLAS_CORETYPE=Haswell)
  endif()
endif()
set(blas_environment ${own_blas_environment})
if(DEFINED ENV{OPENBLAS_CORETYPE})
  set(blas_environment OPENBLAS_NUM_THREADS=1)
endif()
