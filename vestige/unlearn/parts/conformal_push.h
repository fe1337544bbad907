// Ordinary methods with a term that pushes forget rows out of their prediction sets: the CPU
// framework of the conformal paper (eqs. 8 to 10), and its plain C&W form.
#pragma once

#include <string>

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// Eq. 9: mean of max(q - S, -delta) with S = 1 - p(label); probabilities [b, classes], labels [b].
torch::Tensor conformal_term(const torch::Tensor& probabilities, const torch::Tensor& labels,
                             double q, double delta);

/// Eq. 8: mean of max(p(label) - max over the other classes of p, -delta).
torch::Tensor carlini_wagner_term(const torch::Tensor& probabilities, const torch::Tensor& labels,
                                  double delta);

/// The ceil((n + 1)(1 - alpha))-th smallest of the scores [n]; 1, the highest score there is, where
/// that exceeds n.
double calibration_quantile(const torch::Tensor& scores, double alpha);

/// Rows that only the threshold sees.
struct Calibration {
  train::Rows rows;
  train::Rows retain;  ///< what is left to train on
  std::string source;  ///< "validation", or "retain" where there is no validation part
};

/// `count` rows, the same number of each class that retain holds as far as there are that many, at
/// most half of a class where they come out of retain.
Calibration draw_calibration(const Problem& problem, std::int64_t count);

/// Which method's loss the term is added to, and which form the term has.
enum class PushHost { retrain, finetune, random_label };
enum class PushTerm { conformal, carlini_wagner };

/// Reads the options of both and returns the run. The host's options, defaults and random draws are
/// those of the plain method: with lambda 0 it is that method, bit for bit.
Run conformal_push(Options& options, PushHost host, PushTerm term);

/// Any method with the conformal term in every step of its training ("salun+conformal"): the host's
/// options and presets, and the term's with "conformal_" before them (conformal_lambda, ...): hosts
/// have a lambda or an alpha of their own. With conformal_lambda 0 it is the host. A host that
/// trains nothing is refused when it runs.
Method with_conformal_term(Method host);

/// The host's presets of the conformal paper with the term's values: lambda 0.5, of the 0.2, 0.5
/// and 1 of its Tables 5 and 18.
std::vector<MethodPreset> push_presets(const std::vector<MethodPreset>& host);

}  // namespace vestige::unlearn
