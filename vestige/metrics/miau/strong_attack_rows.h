// Table 4 of the MIAU paper on evidence: the attacks' references once, and their rows.
#pragma once

#include <optional>

#include "vestige/metrics/learn/logistic.h"
#include "vestige/metrics/miau/miau_attacks.h"

namespace vestige::metrics {

/// What the stronger attacks know before they see a model: read and fitted once per evidence.
struct StrongReferences {
  StrongReferences(const Context& context, const evidence::Evidence& evidence,
                   const MiauSettings& settings);

  bool labelled = false;            ///< forget, retain and test have labels
  std::vector<std::size_t> fitted;  ///< test rows that attacks are fitted on
  std::vector<std::size_t> judged;  ///< the other test rows
  std::size_t shadows = 0;          ///< shadow models with forget, retain and test
  Matrix on_train;                  ///< their confidences, [shadows, forget + retain]
  Matrix on_test;                   ///< ... [shadows, test]
  AttackFeatures features = AttackFeatures::softmax;
  std::size_t trained_shadows = 0;  ///< shadow models with the rows they were trained on
  std::optional<LogisticModel> classifier;
};

/// What an attack says of the rows of a model; larger is more member-like.
struct SplitScores {
  std::vector<double> forget = {};
  std::vector<double> retain = {};
  std::vector<double> test = {};  ///< of the rows that the attack was not fitted on
  Reason missing = {};            ///< not empty: why there are none
  bool undefined = false;         ///< that is no lack of files
};

/// Scores of one of the stronger attacks (not InnerAttack::features).
SplitScores split_scores(const Context& context, const evidence::Evidence& evidence,
                         const evidence::Model& model, const StrongReferences& references,
                         InnerAttack attack);

/// miau.table4.*: train rows are forget and retain together, against test rows.
void add_strong_attacks(const Comparison& comparison, const Request& request,
                        const StrongReferences& references, Measurements& out);

}  // namespace vestige::metrics
