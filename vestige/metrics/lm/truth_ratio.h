// Truth ratio and model utility (TOFU: Maini et al. 2024): does a model still prefer right answers
// to wrong ones of the same form?
#pragma once

#include <span>
#include <vector>

namespace vestige::metrics {

/// t = exp(-mean loss of the wrong answers) / exp(-mean loss of the right ones), one per question;
/// both inputs are mean negative log-likelihoods per token, [questions][answers]. 0: the right
/// answer is far more probable; 1: no difference.
std::vector<double> truth_ratios(std::span<const std::vector<double>> right,
                                 std::span<const std::vector<double>> wrong);

/// min(t, 1 / t): 1 where right and wrong answers are alike, as after forgetting.
std::vector<double> forgotten_truth(std::span<const double> ratios);

/// max(0, 1 - t): 1 where the right answer is sure, as for knowledge to be kept.
std::vector<double> kept_truth(std::span<const double> ratios);

/// right / (right + wrong) = 1 / (1 + t).
std::vector<double> share_of_truth(std::span<const double> ratios);

/// exp(-loss), and where there are wrong answers its share among all: p / (p + sum of theirs).
/// `wrong` may be empty.
std::vector<double> answer_probabilities(std::span<const double> losses,
                                         std::span<const std::vector<double>> wrong);

/// 0 where a value is 0; NaN for none or a NaN.
double harmonic_mean(std::span<const double> values);

}  // namespace vestige::metrics
