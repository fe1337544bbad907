// HSIC, shuffled and in closed form.
#include "vestige/metrics/kernels/hsic.h"

#include <cmath>
#include <numeric>

#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kLargestPlain = 128;
constexpr std::size_t kLargestJoint = 256;

double count(std::size_t n) { return static_cast<double>(n); }

void check(MatrixView k, MatrixView l) {
  require(k.rows == k.cols && l.rows == l.cols && k.rows == l.rows,
          "kernel matrices are {} x {} and {} x {}: both must be n x n with the same n", k.rows,
          k.cols, l.rows, l.cols);
  require(k.rows >= 2, "HSIC of {} rows per half: give at least 2", k.rows);
}

/// HSIC from traces.
void scale(std::vector<double>& traces, std::size_t rows) {
  const double factor = (count(rows) - 1) * (count(rows) - 1);
  for (double& value : traces) value /= factor;
}

}  // namespace

double hsic(MatrixView k, MatrixView l) {
  check(k, l);
  Permutations identity{k.rows, std::vector<std::uint32_t>(k.rows)};
  std::iota(identity.values.begin(), identity.values.end(), 0U);
  return permuted_traces_plain(k, l, identity).front() /
         ((count(k.rows) - 1) * (count(k.rows) - 1));
}

Permutations random_permutations(std::size_t size, std::size_t permutations, Stream& stream) {
  Permutations result{size, std::vector<std::uint32_t>(size * permutations)};
  for (std::size_t index = 0; index < permutations; ++index) {
    const std::span<std::uint32_t> order(result.values.data() + index * size, size);
    std::iota(order.begin(), order.end(), 0U);
    stream.shuffle(order);
  }
  return result;
}

std::vector<double> hsic_shuffled(MatrixView k, MatrixView l, const Permutations& permutations) {
  check(k, l);
  return hsic_shuffled(k, centring(k), l, centring(l), permutations);
}

std::vector<double> hsic_shuffled(MatrixView k, const Centring& k_means, MatrixView l,
                                  const Centring& l_means, const Permutations& permutations) {
  check(k, l);
  require(permutations.size == k.rows, "permutations of {} rows for halves of {}",
          permutations.size, k.rows);
  std::vector<double> values = k.rows <= kLargestPlain
                                   ? permuted_traces_plain(k, l, permutations)
                                   : permuted_traces(k, k_means, l, l_means, permutations);
  scale(values, k.rows);
  return values;
}

bool shuffled_jointly(std::size_t rows) { return rows > kLargestPlain && rows <= kLargestJoint; }

std::vector<std::vector<double>> hsic_shuffled(std::span<const CentredPair> pairs,
                                               const Permutations& permutations) {
  std::vector<std::vector<double>> values = joint_permuted_traces(pairs, permutations);
  for (std::vector<double>& of_pair : values) scale(of_pair, permutations.size);
  return values;
}

KernelSums kernel_sums(MatrixView kernel, const Centring& means) {
  KernelSums sums{kernel.rows, 0, 0, 0, kUndefined};
  // tr(A^2) from centred entries: the closed expression in sums of K cancels badly when the kernel
  // is close to constant.
  double on_diagonal = 0;
  for (std::size_t i = 0; i < kernel.rows; ++i) {
    const auto values = kernel.row(i);
    const double shift = means.means[i] - means.grand;
    double squares[4] = {};
    const auto add = [&](std::size_t j, double& sum) {
      const double entry = values[j] - shift - means.means[j];
      sum += entry * entry;
    };
    std::size_t j = 0;
    for (; j + 4 <= kernel.rows; j += 4) {
#pragma GCC unroll 4
      for (std::size_t lane = 0; lane < 4; ++lane) add(j + lane, squares[lane]);
    }
    for (; j < kernel.rows; ++j) add(j, squares[j % 4]);
    sums.squares += (squares[0] + squares[1]) + (squares[2] + squares[3]);
    const double diagonal = values[i] - shift - means.means[i];
    sums.trace += diagonal;
    sums.diagonal += diagonal * diagonal;
    on_diagonal += values[i];
  }
  const double n = count(kernel.rows);
  if (kernel.rows >= 2) sums.off_diagonal = (means.grand * n * n - on_diagonal) / (n * (n - 1));
  return sums;
}

PermutationMoments permutation_moments(const KernelSums& a, const KernelSums& b) {
  require(a.n == b.n && a.n >= 2, "moments of halves of {} and {} rows: both need the same n >= 2",
          a.n, b.n);
  const double n = count(a.n);
  PermutationMoments moments;
  moments.mean = a.trace * b.trace / std::pow(n - 1, 3);
  if (a.n < 4) return moments;
  // Kazi-Aoual et al. 1995, as restated by Josse, Pages and Husson 2008 for tr(A P B P').
  const auto spread = [n](const KernelSums& s) { return (n - 1) * s.squares - s.trace * s.trace; };
  const auto peak = [n](const KernelSums& s) {
    return n * (n + 1) * s.diagonal - (n - 1) * (s.trace * s.trace + 2 * s.squares);
  };
  const double first = 2 * spread(a) * spread(b) / ((n - 1) * (n - 1) * (n + 1) * (n - 2));
  const double second = peak(a) * peak(b) / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3));
  moments.variance = (first + second) / std::pow(n - 1, 4);
  return moments;
}

}  // namespace vestige::metrics
