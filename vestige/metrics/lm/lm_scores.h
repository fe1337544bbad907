// Membership scores of sequences from one language model's token log-probabilities (IAM paper,
// Table 6). Every score is higher for sequences that the model knows better.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "vestige/evidence/tokens.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

/// Mean negative log-likelihood per token, in nats: the logarithm of perplexity.
std::vector<double> lm_losses(const evidence::Sequences& sequences);

/// exp(-loss), the inverse of perplexity: what stands for the confidence of a sequence.
std::vector<double> lm_confidences(std::span<const double> losses);

/// -loss (Yeom et al. 2018).
std::vector<double> lm_loss_scores(std::span<const double> losses);

/// -loss / other loss of the same sequence (Carlini et al. 2021): `other` is the loss of the
/// lower-cased text, or that of a reference model. NaN where the other loss is 0.
std::vector<double> lm_ratio_scores(std::span<const double> losses, std::span<const double> other);

/// Bytes of the zlib-compressed text (default level, with header and checksum, as Python's
/// zlib.compress).
std::size_t zlib_bytes(std::string_view text);

/// zlib_bytes per byte of text; NaN for an empty text.
double zlib_rate(std::string_view text);

/// -loss / zlib_rate (Carlini et al. 2021).
std::vector<double> lm_zlib_scores(std::span<const double> losses,
                                   std::span<const std::string> texts);

/// -loss / bytes of the zlib-compressed text (MUSE, OpenUnlearning); NaN for an empty text.
std::vector<double> lm_zlib_bytes_scores(std::span<const double> losses,
                                         std::span<const std::string> texts);

/// Mean of the k per cent lowest values of each sequence: floor(k n / 100) of n tokens, at least
/// one (Min-K% Prob, Shi et al. 2024). Throws unless 0 < k <= 100.
std::vector<double> min_k_scores(const evidence::Sequences& sequences, double k = 20);

/// Mean of the k per cent lowest (ln p - mean) / std, with mean and standard deviation of ln p over
/// the vocabulary at each position (Min-K%++, Zhang et al. 2025). Positions with std 0 are left
/// out; NaN if none is left.
std::vector<double> min_k_plus_plus_scores(const evidence::Sequences& sequences,
                                           std::span<const double> mean,
                                           std::span<const double> deviation, double k = 20);

struct SurpOptions {
  double k = 20;           ///< per cent of tokens that count as improbable, at least one
  double max_entropy = 2;  ///< positions with an entropy (nats) below it count as certain
};

/// Mean ln p of surprising tokens: among the k per cent lowest (of equal ones the earlier) and at a
/// position where the model was certain (SURP, Zhang and Wu 2024). NaN without a surprising token.
std::vector<double> surp_scores(const evidence::Sequences& sequences,
                                std::span<const double> entropy, const SurpOptions& options = {});

/// (x - min) / (max - min), for scores that have no scale of their own; NaN stays NaN and does not
/// count, and all are NaN if no two values differ.
std::vector<double> min_max_scaled(std::span<const double> scores);

}  // namespace vestige::metrics
