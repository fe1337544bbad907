// Options of language-model metrics.
#pragma once

#include <cstddef>
#include <string>

#include "vestige/metrics/family.h"
#include "vestige/metrics/learn/bag_of_words.h"
#include "vestige/metrics/lm/lm_attacks.h"
#include "vestige/metrics/lm/memorization.h"

namespace vestige::metrics {

struct LmSettings {
  double k = 20;            ///< "lm.k": per cent of tokens of min-k% (IAM authors: 20)
  double plus_plus_k = 20;  ///< "lm.plus_plus_k": of min-k%++
  double surp_k = 40;       ///< "lm.surp_k": of SURP (IAM authors: 40)
  double surp_entropy = 2;  ///< "lm.surp_entropy": nats below which a position counts as certain
  double privleak_k = 40;   ///< "lm.privleak_k": of the min-k% behind PrivLeak (MUSE: 40)
  ExtractionRule rule = ExtractionRule::strict;  ///< "lm.rule"
  std::size_t queries = 1000;  ///< "lm.queries": samples that an extraction may take
  double extractable = 0.5;    ///< "lm.extractable": probability from which a sequence counts
  LmIamOptions iam;    ///< "lm.levels", "lm.direction", "lm.epsilon1", "lm.epsilon2", "lm.batch"
  LmRmiaOptions rmia;  ///< "lm.rmia_gamma", "lm.rmia_a"
  BagOfWordsClassifier bag_of_words = BagOfWordsClassifier::logistic;  ///< "lm.bag_of_words"
  std::uint64_t seed = 1;   ///< of the order in which batches of IAM are taken
  std::size_t shadows = 0;  ///< "lm.shadows": use the first so many; 0: all
  std::string fitted;       ///< "lm.fitted": the fitted model of LiRA and IAM; empty: original
};

const OptionTable<LmSettings>& lm_options();
/// In force for a request; InputError for values that make no sense.
LmSettings lm_settings(const Request& request);

}  // namespace vestige::metrics
