// Scores from token log-probabilities.
#include "vestige/metrics/lm/lm_scores.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

using evidence::Sequences;

void check_k(double k) {
  require(k > 0 && k <= 100, "k = {} per cent of the tokens: give more than 0 and at most 100", k);
}

void check_lengths(std::string_view what, std::size_t one, std::size_t other) {
  require(one == other, "{}: {} values and {} sequences or tokens: give one value for each", what,
          one, other);
}

std::size_t share_of(double k, std::size_t tokens) {
  const auto count = static_cast<std::size_t>(k * static_cast<double>(tokens) / 100);
  return std::max<std::size_t>(count, 1);
}

/// The mean of the lowest values; which of equal values are taken does not matter to it.
double mean_of_lowest(std::vector<double> values, double k) {
  if (values.empty()) return kUndefined;
  const auto count = static_cast<std::ptrdiff_t>(share_of(k, values.size()));
  std::nth_element(values.begin(), values.begin() + (count - 1), values.end());
  return mean(std::span<const double>(values).first(static_cast<std::size_t>(count)));
}

/// One score per sequence, each from its own place.
template <typename Score>
std::vector<double> per_sequence(const Sequences& sequences, const Score& score) {
  std::vector<double> result(sequences.size());
  parallel_for(result.size(), [&](std::size_t row) { result[row] = score(row); });
  return result;
}

/// Of equal values the earlier tokens are among the lowest.
double surprise(std::span<const double> values, std::span<const double> entropy,
                const SurpOptions& options) {
  if (values.empty()) return kUndefined;
  std::vector<double> lowest(values.begin(), values.end());
  const auto count = static_cast<std::ptrdiff_t>(share_of(options.k, values.size()));
  std::nth_element(lowest.begin(), lowest.begin() + (count - 1), lowest.end());
  const double last = lowest[static_cast<std::size_t>(count - 1)];
  auto equal = std::count(lowest.begin(), lowest.begin() + count, last);
  std::vector<double> found;
  for (std::size_t token = 0; token < values.size(); ++token) {
    if (values[token] > last || (values[token] == last && equal-- <= 0)) continue;
    if (entropy[token] < options.max_entropy) found.push_back(values[token]);
  }
  return mean(found);
}

}  // namespace

std::vector<double> lm_losses(const Sequences& sequences) {
  return per_sequence(sequences, [&](std::size_t row) { return -mean(sequences[row]); });
}

std::vector<double> lm_confidences(std::span<const double> losses) {
  std::vector<double> result;
  result.reserve(losses.size());
  for (const double loss : losses) result.push_back(std::exp(-loss));
  return result;
}

std::vector<double> lm_loss_scores(std::span<const double> losses) {
  std::vector<double> result;
  result.reserve(losses.size());
  for (const double loss : losses) result.push_back(-loss);
  return result;
}

std::vector<double> lm_ratio_scores(std::span<const double> losses, std::span<const double> other) {
  check_lengths("loss ratio", other.size(), losses.size());
  std::vector<double> result;
  result.reserve(losses.size());
  for (std::size_t row = 0; row < losses.size(); ++row) {
    result.push_back(other[row] == 0 ? kUndefined : -losses[row] / other[row]);
  }
  return result;
}

std::size_t zlib_bytes(std::string_view text) {
  uLongf bytes = compressBound(static_cast<uLong>(text.size()));
  std::vector<Bytef> buffer(bytes);
  const int status = compress2(buffer.data(), &bytes, reinterpret_cast<const Bytef*>(text.data()),
                               static_cast<uLong>(text.size()), Z_DEFAULT_COMPRESSION);
  require(status == Z_OK, "zlib could not compress a text of {} bytes: is there enough memory?",
          text.size());
  return bytes;
}

double zlib_rate(std::string_view text) {
  if (text.empty()) return kUndefined;
  return static_cast<double>(zlib_bytes(text)) / static_cast<double>(text.size());
}

std::vector<double> lm_zlib_bytes_scores(std::span<const double> losses,
                                         std::span<const std::string> texts) {
  check_lengths("zlib", texts.size(), losses.size());
  std::vector<double> result(losses.size());
  parallel_for(result.size(), [&](std::size_t row) {
    result[row] = texts[row].empty() ? kUndefined
                                     : -losses[row] / static_cast<double>(zlib_bytes(texts[row]));
  });
  return result;
}

std::vector<double> lm_zlib_scores(std::span<const double> losses,
                                   std::span<const std::string> texts) {
  check_lengths("zlib", texts.size(), losses.size());
  std::vector<double> result(losses.size());
  parallel_for(result.size(),
               [&](std::size_t row) { result[row] = -losses[row] / zlib_rate(texts[row]); });
  return result;
}

std::vector<double> min_k_scores(const Sequences& sequences, double k) {
  check_k(k);
  return per_sequence(sequences, [&](std::size_t row) {
    return mean_of_lowest({sequences[row].begin(), sequences[row].end()}, k);
  });
}

std::vector<double> min_k_plus_plus_scores(const Sequences& sequences, std::span<const double> mean,
                                           std::span<const double> deviation, double k) {
  check_k(k);
  check_lengths("Min-K%++ mean", mean.size(), sequences.values.size());
  check_lengths("Min-K%++ std", deviation.size(), sequences.values.size());
  return per_sequence(sequences, [&](std::size_t row) {
    std::vector<double> standardised;
    for (std::size_t token = sequences.offsets[row]; token < sequences.offsets[row + 1]; ++token) {
      if (!(deviation[token] > 0)) continue;
      standardised.push_back((sequences.values[token] - mean[token]) / deviation[token]);
    }
    return mean_of_lowest(std::move(standardised), k);
  });
}

std::vector<double> surp_scores(const Sequences& sequences, std::span<const double> entropy,
                                const SurpOptions& options) {
  check_k(options.k);
  check_lengths("SURP entropy", entropy.size(), sequences.values.size());
  return per_sequence(sequences, [&](std::size_t row) {
    return surprise(sequences[row], entropy.subspan(sequences.offsets[row], sequences[row].size()),
                    options);
  });
}

std::vector<double> min_max_scaled(std::span<const double> scores) {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  for (const double score : scores) {
    if (std::isnan(score)) continue;
    lowest = std::min(lowest, score);
    highest = std::max(highest, score);
  }
  std::vector<double> result(scores.size(), kUndefined);
  if (!(highest > lowest)) return result;
  for (std::size_t row = 0; row < scores.size(); ++row) {
    result[row] = (scores[row] - lowest) / (highest - lowest);
  }
  return result;
}

}  // namespace vestige::metrics
