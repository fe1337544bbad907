// Which vector instructions may be used.
#pragma once

namespace vestige::platform {

/// What the processor can do and the operating system allows, as far as our loops differ by it. All
/// false on other processors than x86-64.
struct Processor {
  bool intel = false;
  bool avx2 = false;    ///< with fused multiply-add
  bool avx512 = false;  ///< F, CD, BW, DQ and VL, as every processor with AVX-512 since 2017 has
  bool f16c = false;    ///< conversion of 16-bit floats, with AVX
};

/// Asked once; later calls cost a load.
const Processor& processor();

}  // namespace vestige::platform
