// One vector holds the entries of eight pairs at the same place. Nothing needs to be transposed or
// gathered then, and the zeros of B's triangle are left out: row i of A stays in the first-level
// cache while every permutation meets it with a row of B.
#include "vestige/metrics/kernels/joint_traces.h"

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "vestige/metrics/kernels/trace_sums.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vestige::metrics {
namespace {

/// With fewer pairs most of a vector would be empty.
constexpr std::size_t kFewestPairs = 3;

/// An entry of each pair.
struct alignas(kJointPairs * sizeof(float)) Entry {
  float values[kJointPairs];
};

/// Rows of A as they are and of B left of the diagonal, followed by zeros to a multiple of four.
/// Kept by a thread from set to set; may be longer than needed.
struct Entries {
  std::size_t rows = 0;
  std::size_t padded = 0;  ///< entries from one row of B to the next
  std::vector<Entry> a;
  std::vector<Entry> b;
};

/// entry[col] of every pair's row; places beyond the last pair hold zeros.
void join_rows(std::span<const float* const> rows, std::size_t count, Entry* target) {
  for (std::size_t col = 0; col < count; ++col) {
    for (std::size_t pair = 0; pair < rows.size(); ++pair) {
      target[col].values[pair] = rows[pair][col];
    }
  }
}

void join(std::span<const CentredPair> pairs, Entries& entries) {
  const std::size_t rows = pairs.front().a.rows;
  entries.rows = rows;
  entries.padded = (rows + 3) / 4 * 4;
  if (entries.a.size() < rows * rows) entries.a.resize(rows * rows);
  if (entries.b.size() < rows * entries.padded) entries.b.resize(rows * entries.padded);
  // A matrix of zeros has no floats: its place is that of a pair that is not there.
  const std::vector<float> zeros(rows);
  const float *left[kJointPairs], *right[kJointPairs];
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t index = 0; index < kJointPairs; ++index) {
      const bool there =
          index < pairs.size() && pairs[index].a.scale != 0 && pairs[index].b.scale != 0;
      left[index] = there ? pairs[index].a.row(row) : zeros.data();
      right[index] = there ? pairs[index].b.row(row) : zeros.data();
    }
    join_rows(left, rows, entries.a.data() + row * rows);
    Entry* target = entries.b.data() + row * entries.padded;
    join_rows(right, row, target);
    std::fill(target + row, target + (row + 3) / 4 * 4, Entry{});
  }
}

#if defined(__x86_64__)
/// Adds the products of row i of A with row p(i) of B to sums[pair].
__attribute__((target("avx2,fma"), always_inline)) inline void add_row(const Entry* a,
                                                                       const Entry* b,
                                                                       const std::uint32_t* inverse,
                                                                       std::size_t columns,
                                                                       double* sums) {
  const auto* bytes = reinterpret_cast<const char*>(a);
  __m256d low = _mm256_loadu_pd(sums), high = _mm256_loadu_pd(sums + 4);
  for (std::size_t first = 0; first < columns; first += kTraceColumns) {
    const std::size_t end = std::min(first + kTraceColumns, columns);
    __m256 chains[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(),
                        _mm256_setzero_ps()};
    for (std::size_t column = first; column < end; column += 4) {
#pragma GCC unroll 4
      for (std::size_t k = 0; k < 4; ++k) {
        const __m256 right = _mm256_load_ps(b[column + k].values);
        const __m256 left =
            _mm256_load_ps(reinterpret_cast<const float*>(bytes + inverse[column + k]));
        chains[k] = _mm256_fmadd_ps(right, left, chains[k]);
      }
    }
    const __m256 folded =
        _mm256_add_ps(_mm256_add_ps(chains[0], chains[1]), _mm256_add_ps(chains[2], chains[3]));
    low = _mm256_add_pd(low, _mm256_cvtps_pd(_mm256_castps256_ps128(folded)));
    high = _mm256_add_pd(high, _mm256_cvtps_pd(_mm256_extractf128_ps(folded, 1)));
  }
  _mm256_storeu_pd(sums, low);
  _mm256_storeu_pd(sums + 4, high);
}

/// Sums [permutation][position modulo kTraceSums][pair]. `inverse`: [permutation][padded], bytes
/// from the beginning of a row of A to entry q(c).
__attribute__((target("avx2,fma"))) void add_rows(const Entries& entries,
                                                  const Permutations& permutations,
                                                  const std::uint32_t* inverse, double* sums) {
  for (std::size_t i = 0; i < entries.rows; ++i) {
    const Entry* a = entries.a.data() + i * entries.rows;
    for (std::size_t t = 0; t < permutations.count(); ++t) {
      const std::size_t image = permutations.at(t)[i];
      add_row(a, entries.b.data() + image * entries.padded, inverse + t * entries.padded,
              (image + 3) / 4 * 4, sums + (t * kTraceSums + i % kTraceSums) * kJointPairs);
    }
  }
}

/// Where q(c) lies in a row of A, for each permutation; columns beyond the last meet zeros.
std::vector<std::uint32_t> inverse_offsets(const Permutations& permutations, std::size_t padded) {
  std::vector<std::uint32_t> offsets(permutations.count() * padded);
  for (std::size_t t = 0; t < permutations.count(); ++t) {
    const auto permutation = permutations.at(t);
    for (std::size_t i = 0; i < permutation.size(); ++i) {
      offsets[t * padded + permutation[i]] = static_cast<std::uint32_t>(i * sizeof(Entry));
    }
  }
  return offsets;
}

/// At most kJointPairs of them.
void traces_of_some(std::span<const CentredPair> pairs, const Permutations& permutations,
                    std::vector<std::vector<double>>& results) {
  thread_local Entries entries;
  join(pairs, entries);
  const std::vector<std::uint32_t> inverse = inverse_offsets(permutations, entries.padded);
  std::vector<double> sums(permutations.count() * kTraceSums * kJointPairs);
  add_rows(entries, permutations, inverse.data(), sums.data());
  for (std::size_t index = 0; index < pairs.size(); ++index) {
    const CentredFloats &a = pairs[index].a, &b = pairs[index].b;
    std::vector<double>& traces = results.emplace_back(permutations.count());
    if (a.scale == 0 || b.scale == 0) continue;
    traces = diagonal_traces(a.diagonal, b.diagonal, permutations);
    for (std::size_t t = 0; t < traces.size(); ++t) {
      traces[t] = trace_of(traces[t], sums.data() + t * kTraceSums * kJointPairs + index,
                           kJointPairs, a.scale * b.scale);
    }
  }
}
#endif

}  // namespace

std::vector<std::vector<double>> joint_permuted_traces(std::span<const CentredPair> pairs,
                                                       const Permutations& permutations,
                                                       Vectors vectors) {
  std::vector<std::vector<double>> results;
  while (results.size() < pairs.size()) {
    const auto left = pairs.subspan(results.size());
    assert(left.front().a.rows == permutations.size);
#if defined(__x86_64__)
    if (left.size() >= kFewestPairs && traces_in_vectors(vectors)) {
      traces_of_some(left.first(std::min(left.size(), kJointPairs)), permutations, results);
      continue;
    }
#endif
    results.push_back(permuted_traces(left.front().a, left.front().b, permutations, vectors));
  }
  return results;
}

}  // namespace vestige::metrics
