// LiRA, RMIA and IAM on language models: what a model says of a sequence, between models that never
// saw it (shadows, OUT) and the model that was trained on it (original, IN). A sequence's
// confidence is p = exp(-loss), the inverse of its perplexity (IAM paper, 5.6).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/result.h"
#include "vestige/metrics/scores/iam.h"

namespace vestige::metrics {

/// ln(p / (1 - p)) of p = exp(-loss); a loss below 1e-12 counts as 1e-12.
std::vector<double> lm_logits(std::span<const double> losses);

/// LiRA with one standard deviation for all sequences and both sides, which is the deviation of OUT
/// over models x sequences. `shadows` are losses [models, sequences]. Online, with the losses of an
/// IN model: ln N(x; in, s) - ln N(x; mean out, s), x = lm_logits; ranks are those of the published
/// form for one IN and one OUT model. Offline, with `in` empty: the normal distribution function of
/// (x - mean out) / s. NaN if OUT has no spread.
std::vector<double> lm_lira(std::span<const double> target, MatrixView shadows,
                            std::span<const double> in);

/// Losses of one split under every model that RMIA needs.
struct RmiaLosses {
  std::span<const double> target;
  MatrixView shadows;          ///< [models, sequences]
  std::span<const double> in;  ///< empty: offline
};

struct LmRmiaOptions {
  double gamma = 1;  ///< a pair is won where the ratio of likelihood ratios exceeds it
  double a = 0.3;    ///< offline: p(x) = (1 + a) / 2 * mean out + (1 - a) / 2
};

/// RMIA (softmax form) with p as the signal: the share of population sequences z with
/// (p(x) / pr(x)) / (p(z) / pr(z)) > gamma. Online pr is the mean of IN and mean OUT.
std::vector<double> lm_rmia(const RmiaLosses& rows, const RmiaLosses& population,
                            const LmRmiaOptions& options = {});

/// Which way the levels go.
enum class LmDirection {
  paper,  ///< from shadow to IN, IN itself dropped (eq. 3)
  code,   ///< from IN (fit) to shadow (reference), the reference dropped, 1e-9 added to every
          ///< standard deviation, as the authors' language-model code does
};
/// "paper", "code"
std::string_view name(LmDirection direction);
/// By name; InputError lists the names.
LmDirection lm_direction(std::string_view name);

struct LmIamOptions {
  std::size_t levels = 1000;                  ///< m; m - 1 of them are used
  LmDirection direction = LmDirection::code;  ///< which way the levels go
  double epsilon1 = 1e-1;                     ///< bounds responses of sequences near p = 0
  double epsilon2 = 1e-5;                     ///< bounds responses of sequences near p = 1
  std::size_t batch = 0;  ///< standard deviations of so many sequences after each other, as in the
                          ///< authors' language-model code (64 of a shuffled list); 0: of all
};

/// First flip: -ln(epsilon1 - ln(1 - p + epsilon2)), p = exp(-loss), which is sensitive to small p.
std::vector<double> lm_iam_responses(std::span<const double> losses,
                                     const LmIamOptions& options = {});

/// IAM with the double flip: levels between the responses of shadows and IN, Gumbel distributions
/// by moments with one standard deviation per level (over models x sequences), and the second flip,
/// 1 - score, so that 1 means fitted. All inputs are responses. NaN with direction `paper` where a
/// level has no spread.
std::vector<double> lm_iam(std::span<const double> target, const ShadowMoments& shadows,
                           std::span<const double> in, const LmIamOptions& options = {});

}  // namespace vestige::metrics
