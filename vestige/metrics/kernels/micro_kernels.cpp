// The sums stay in registers while the columns run by (the scheme of Goto and van de Geijn 2008).
#include "vestige/metrics/kernels/micro_kernels.h"

#include <cmath>

#include "vestige/base/platform/processor.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vestige::metrics {
namespace {

constexpr std::size_t kSide = PackedRows::kPanel;

// A fused product rounds once where the others round twice. The compiler fuses nothing by itself
// (cmake/warnings.cmake turns contraction off).
template <Products kProducts>
void micro_portable(const MicroBlock& block) {
  double sums[kSide][kSide] = {};
  const double *a = block.a, *b = block.b;
  for (std::size_t k = 0; k < block.depth; ++k, a += kSide, b += kSide) {
    for (std::size_t i = 0; i < kSide; ++i) {
      for (std::size_t j = 0; j < kSide; ++j) {
        if constexpr (kProducts == Products::fused) {
          sums[i][j] = std::fma(a[i], b[j], sums[i][j]);
        } else {
          sums[i][j] += a[i] * b[j];
        }
      }
    }
  }
  for (std::size_t i = 0; i < kSide; ++i) {
    for (std::size_t j = 0; j < kSide; ++j) {
      double& out = block.out[i * block.stride + j];
      out = block.add ? out + sums[i][j] : sums[i][j];
    }
  }
}

#if defined(__x86_64__)
template <Products kProducts>
__attribute__((target("avx2,fma"), always_inline)) inline __m256d plus_product(__m256d sum,
                                                                               __m256d a,
                                                                               __m256d b) {
  if constexpr (kProducts == Products::fused) return _mm256_fmadd_pd(a, b, sum);
  return _mm256_add_pd(sum, _mm256_mul_pd(a, b));
}

template <Products kProducts>
__attribute__((target("avx512f"), always_inline)) inline __m512d plus_product(__m512d sum,
                                                                              __m512d a,
                                                                              __m512d b) {
  if constexpr (kProducts == Products::fused) return _mm512_fmadd_pd(a, b, sum);
  return _mm512_add_pd(sum, _mm512_mul_pd(a, b));
}

template <Products kProducts>
__attribute__((target("avx2,fma"))) void micro_avx2(const MicroBlock& block) {
  constexpr std::size_t kHalf = kSide / 2;  // 4 x 8 sums fill the registers
  for (std::size_t half = 0; half < kSide; half += kHalf) {
    __m256d low[kHalf];
    __m256d high[kHalf];
    for (std::size_t i = 0; i < kHalf; ++i) low[i] = high[i] = _mm256_setzero_pd();
    const double* left = block.a + half;
    const double* right = block.b;
    for (std::size_t k = 0; k < block.depth; ++k, left += kSide, right += kSide) {
      const __m256d right_low = _mm256_loadu_pd(right);
      const __m256d right_high = _mm256_loadu_pd(right + kHalf);
#pragma GCC unroll 4
      for (std::size_t i = 0; i < kHalf; ++i) {
        const __m256d factor = _mm256_broadcast_sd(left + i);
        low[i] = plus_product<kProducts>(low[i], factor, right_low);
        high[i] = plus_product<kProducts>(high[i], factor, right_high);
      }
    }
    for (std::size_t i = 0; i < kHalf; ++i) {
      double* row = block.out + (half + i) * block.stride;
      if (block.add) {
        low[i] = _mm256_add_pd(_mm256_loadu_pd(row), low[i]);
        high[i] = _mm256_add_pd(_mm256_loadu_pd(row + kHalf), high[i]);
      }
      _mm256_storeu_pd(row, low[i]);
      _mm256_storeu_pd(row + kHalf, high[i]);
    }
  }
}

__attribute__((target("avx512f"), always_inline)) inline void put(const MicroBlock& block,
                                                                  std::size_t row, std::size_t col,
                                                                  __m512d sum) {
  double* out = block.out + row * block.stride + col;
  _mm512_storeu_pd(out, block.add ? _mm512_add_pd(_mm512_loadu_pd(out), sum) : sum);
}

template <Products kProducts>
__attribute__((target("avx512f"))) void micro_avx512(const MicroBlock& block) {
  __m512d sums[kSide];
  for (std::size_t i = 0; i < kSide; ++i) sums[i] = _mm512_setzero_pd();
  const double *a = block.a, *b = block.b;
  for (std::size_t k = 0; k < block.depth; ++k, a += kSide, b += kSide) {
    const __m512d right = _mm512_loadu_pd(b);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kSide; ++i) {
      sums[i] = plus_product<kProducts>(sums[i], _mm512_set1_pd(a[i]), right);
    }
  }
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kSide; ++i) put(block, i, 0, sums[i]);
}

/// A fused product is so cheap that one panel's loads would take longer: each number of `a` is
/// loaded once for two panels.
__attribute__((target("avx512f"))) void micro_fused_two_avx512(const MicroBlock& block) {
  __m512d low[kSide];
  __m512d high[kSide];
  for (std::size_t i = 0; i < kSide; ++i) low[i] = high[i] = _mm512_setzero_pd();
  const double *a = block.a, *b = block.b, *b_next = block.b_next;
  for (std::size_t k = 0; k < block.depth; ++k, a += kSide, b += kSide, b_next += kSide) {
    const __m512d right_low = _mm512_loadu_pd(b);
    const __m512d right_high = _mm512_loadu_pd(b_next);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kSide; ++i) {
      const __m512d factor = _mm512_set1_pd(a[i]);
      low[i] = _mm512_fmadd_pd(factor, right_low, low[i]);
      high[i] = _mm512_fmadd_pd(factor, right_high, high[i]);
    }
  }
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kSide; ++i) {
    put(block, i, 0, low[i]);
    put(block, i, kSide, high[i]);
  }
}
#endif

template <Products kProducts>
MicroKernels kernels_of(Vectors vectors) {
#if defined(__x86_64__)
  const platform::Processor& own = platform::processor();
  if (vectors == Vectors::avx512 && own.avx512) {
    return {micro_avx512<kProducts>,
            kProducts == Products::fused ? micro_fused_two_avx512 : nullptr};
  }
  if (vectors != Vectors::none && own.avx2) return {micro_avx2<kProducts>, nullptr};
#else
  static_cast<void>(vectors);
#endif
  return {micro_portable<kProducts>, nullptr};
}

}  // namespace

MicroKernels micro_kernels(Products products, Vectors vectors) {
  return products == Products::fused ? kernels_of<Products::fused>(vectors)
                                     : kernels_of<Products::rounded>(vectors);
}

}  // namespace vestige::metrics
