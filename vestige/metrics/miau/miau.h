// MIAU: how much of the gap between original and retrained an unlearning method closes, seen by
// membership attacks on three pairs of splits ("MIAU: Membership Inference Attack Unlearning
// Score").
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

/// The pairs of splits, in the order of the paper's eq. 3; `train` is forget and retain together.
enum class PairTask { forget_retain, forget_test, retain_test, train_test };
inline constexpr std::array kPairTasks{PairTask::forget_retain, PairTask::forget_test,
                                       PairTask::retain_test, PairTask::train_test};
/// The tasks that enter the score; train_test is only reported.
inline constexpr std::size_t kScoredTasks = 3;
/// "forget_retain"
std::string_view name(PairTask task);

struct MiauOptions {
  double alpha = 13.8;                                    ///< slope of the logistic map (paper A.1)
  std::array<double, 3> weights{1. / 3, 1. / 3, 1. / 3};  ///< beta, gamma, delta: >= 0, sum 1
};

/// InputError unless the weights are not negative and sum to 1, and alpha is positive.
void check_miau_options(const MiauOptions& options);

/// f = (|B - R| - |M - R|) / |B - R|: share of the gap that is closed; 0 where B = R (eq. 1).
double gap_closure(double baseline, double retrained, double unlearned);

/// MUS = 100 / (1 + exp(-alpha (f - 1/2))) (eq. 2).
double matching_score(double closure, double alpha = 13.8);

struct MiauScore {
  std::array<double, 3> closure{};  ///< f per task
  std::array<double, 3> mus{};      ///< 0 .. 100 per task
  double score = kUndefined;        ///< weighted sum of mus (eq. 3)
};

/// The score from attack accuracies (any unit, the same for all) on baseline, retrained, unlearned.
MiauScore miau_score(const std::array<double, 3>& baseline, const std::array<double, 3>& retrained,
                     const std::array<double, 3>& unlearned, const MiauOptions& options = {});

/// Weight of utility in NoMUS as published.
inline constexpr double kNomusUtility = 0.5;

/// The normalized machine unlearning score of Choi and Na (2023), which the paper is set against:
/// w * accuracy on test examples + (1 - w) * (1 - 2 |accuracy of the attack - 1/2|), all in
/// [0, 1]. It has neither an original nor a retrained model in it.
double nomus(double test_accuracy, double attack_accuracy, double weight = kNomusUtility);

/// Whether a task can tell the original from the retrained model.
struct TaskReliability {
  double lower = kUndefined;  ///< 2.5 percentile of baseline - retrained over attack seeds
  double upper = kUndefined;  ///< 97.5 percentile
  bool reliable = false;      ///< 0 lies outside
};

/// Paired over attack seeds: both models are attacked with the same subsamples and splits.
TaskReliability task_reliability(std::span<const double> baseline,
                                 std::span<const double> retrained);

/// One level of graded retrains: `removed` per cent of forget left out of training.
struct GradedLevel {
  double removed = 0;
  std::vector<double> scores;  ///< paired across levels: the same seeds in the same order
};

/// A one-sided paired t-test that the higher level scores above the lower one.
struct GradedTest {
  double higher = 0;
  double lower = 0;
  double mean_difference = kUndefined;
  double interval_lower = kUndefined;  ///< two-sided 95 % t interval
  double interval_upper = kUndefined;
  double cohen_d = kUndefined;
  double p = kUndefined;
};

struct GradedSummary {
  std::vector<double> removed;    ///< ascending
  std::vector<double> means;      ///< per level
  bool monotone = false;          ///< means strictly increase with the share removed
  std::vector<GradedTest> tests;  ///< every pair of levels
};

/// Levels in any order, with equally many scores; at least two.
GradedSummary graded_summary(std::vector<GradedLevel> levels);

}  // namespace vestige::metrics
