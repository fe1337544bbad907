// The scores of one language model on evidence: which of them its arrays allow, and what is missing
// for the others.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/evidence/tokens.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/lm/lm_attacks.h"

namespace vestige::metrics {

struct LmSettings {
  double k = 20;            ///< "lm.k": per cent of tokens of min-k%, min-k%++ and SURP
  LmIamOptions iam;         ///< "lm.levels", "lm.direction", "lm.epsilon1", "lm.epsilon2"
  std::size_t shadows = 0;  ///< "lm.shadows": use the first so many; 0: all
};

const OptionTable<LmSettings>& lm_options();
/// In force for a request; InputError for values that make no sense.
LmSettings lm_settings(const Request& request);

/// One score of every forget sequence, then of every retain sequence; higher = better known.
struct LmScore {
  std::string_view name;            ///< "min_k"
  std::vector<double> values = {};  ///< empty if something is missing
  std::string missing = {};         ///< what to add
  std::string why_undefined = {};   ///< why a sequence may have no score (NaN)
  Json settings = Json::object();
  Json facts = Json::object();
};

/// True if the model has tokens of every split.
bool has_tokens(const evidence::Model& model, std::initializer_list<std::string_view> splits);

/// The shadow models with tokens of forget and retain, in name order; 0: all.
Models lm_shadows(const evidence::Evidence& evidence, std::size_t limit);

/// What the models of a comparison share: losses of shadows and originals.
class LmEvidence {
 public:
  LmEvidence(const Comparison& comparison, const LmSettings& settings);

  std::size_t forget_rows() const { return forget_rows_; }
  std::size_t retain_rows() const { return retain_rows_; }

  /// loss, lower, zlib, ratio, min_k, min_k_plus_plus, surp, lira, rmia, iam of a model that has
  /// tokens of forget and retain.
  std::vector<LmScore> scores(const evidence::Model& model) const;

  /// The score that sees texts only: probability of retain, out of fold.
  LmScore bag_of_words(std::uint64_t seed) const;

 private:
  struct Target;

  LmScore lower(const Target& target) const;
  LmScore zlib(const Target& target) const;
  LmScore ratio(const Target& target) const;
  LmScore min_k_plus_plus(const Target& target) const;
  LmScore surp(const Target& target) const;
  LmScore lira(const Target& target) const;
  LmScore rmia(const Target& target) const;
  LmScore iam(const Target& target) const;

  std::vector<double> losses(const evidence::Model& model, std::string_view split) const;
  std::vector<double> query_losses(const evidence::Model& model) const;
  void read_shadows(const LmSettings& settings);
  void read_originals(const Models& originals);

  const evidence::Evidence& evidence_;
  LmSettings settings_;
  std::size_t forget_rows_ = 0;
  std::size_t retain_rows_ = 0;
  Matrix shadows_;                     ///< losses [shadows, forget + retain]
  Matrix shadows_test_;                ///< losses [shadows, test]; no rows: a shadow lacks them
  std::vector<double> original_;       ///< losses, mean over originals; empty: none
  std::vector<double> original_test_;  ///< likewise on test
  double offline_in_ = kUndefined;     ///< response of shadows on their own training sequences
};

}  // namespace vestige::metrics
