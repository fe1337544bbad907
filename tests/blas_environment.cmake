# Sets blas_environment: the kernels of OpenBLAS that the lab is started with on this machine
# (vestige/base/blas_kernels.h), so that tests that compare with it round alike; and one thread, as
# the lab has unless told otherwise, because several tests run side by side.
set(blas_environment OPENBLAS_NUM_THREADS=1)
if(NOT DEFINED ENV{OPENBLAS_CORETYPE} AND EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo processor REGEX "^(vendor_id|flags)" LIMIT_COUNT 2)
  if(processor MATCHES "GenuineIntel" AND processor MATCHES " avx512vl")
    list(APPEND blas_environment OPENBLAS_CORETYPE=SkylakeX)
  elseif(processor MATCHES "GenuineIntel" AND processor MATCHES " avx2")
    list(APPEND blas_environment OPENBLAS_CORETYPE=Haswell)
  endif()
endif()
