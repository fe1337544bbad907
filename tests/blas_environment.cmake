# Sets blas_environment: the kernels of OpenBLAS that the lab is started with on this machine
# (vestige/base/blas_kernels.h), so that tests that compare with it round alike.
set(blas_environment)
if(NOT DEFINED ENV{OPENBLAS_CORETYPE} AND EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo processor REGEX "^(vendor_id|flags)" LIMIT_COUNT 2)
  if(processor MATCHES "GenuineIntel" AND processor MATCHES " avx512vl")
    set(blas_environment OPENBLAS_CORETYPE=SkylakeX)
  elseif(processor MATCHES "GenuineIntel" AND processor MATCHES " avx2")
    set(blas_environment OPENBLAS_CORETYPE=Haswell)
  endif()
endif()
