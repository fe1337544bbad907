// What leaks when a language model is asked several times: from n samples of a prompt, what k
// samples would show.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vestige::metrics {

/// The probability that at least one of k samples leaks, from n samples of which `leaking` do:
/// 1 - C(n - leaking, k) / C(n, k). It is unbiased, as pass@k of Chen et al. (2021, eq. 1) is, and
/// needs 1 <= k <= n.
double leak_at_k(std::size_t n, std::size_t leaking, std::size_t k);

/// The expected largest of k values drawn without replacement from `values`: unbiased for the
/// largest of k new samples. The sum over sorted values x_1 <= ... <= x_n of
/// x_j C(j - 1, k - 1) / C(n, k); needs 1 <= k <= n.
double expected_largest(std::span<const double> values, std::size_t k);

/// 1, 2, 4, ... below n, and n.
std::vector<std::size_t> numbers_of_samples(std::size_t n);

/// The probability that at least one of `queries` independent samples is exactly the sequence of
/// this log-probability (natural log, at most 0): 1 - (1 - p)^queries. Hayes et al. (2025) call a
/// sequence (n, p)-discoverably extractable if this is at least p for n queries.
double extraction_probability(double log_probability, double queries);

}  // namespace vestige::metrics
