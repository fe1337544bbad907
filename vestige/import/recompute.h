// The totals of OpenUnlearning, computed again from the values per example with its own rules, so
// that a log that was read wrongly, or mixed from two runs, does not pass.
#pragma once

#include <vector>

#include "vestige/import/import.h"
#include "vestige/import/model_log.h"

namespace vestige::importing {

/// Likelihood of wrong over that of right answers of each question (with the 1e-10 that
/// OpenUnlearning adds); empty without wrong answers.
std::vector<double> truth_ratios_of(const QuestionLog& split);

/// Every total that the log of `model` allows; `retrained` may be nullptr.
std::vector<Recomputed> recompute(const ModelLog& model, const ModelLog* retrained);

/// True if PrivLeak of the log was computed without the log of a retrained model, against an AUC of
/// 0.5.
bool privleak_without_reference(const ModelLog& model);

}  // namespace vestige::importing
