// The scores of one language model on evidence: which of them its arrays allow, and what is missing
// for the others.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/evidence/tokens.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/lm/lm_settings.h"

namespace vestige::metrics {

/// One score of every forget sequence, then of every other (retain or test) sequence; higher =
/// better known.
struct LmScore {
  std::string_view name;            ///< "min_k"
  std::vector<double> values = {};  ///< empty if something is missing
  Reason missing = {};              ///< what to add
  Reason why_undefined = {};        ///< why a sequence may have no score (NaN)
  Json settings = Json::object();
  Json facts = Json::object();
};

/// Names of the scores that a model's own numbers and other models' give.
inline constexpr std::array<std::string_view, 15> kLmScores = {
    "loss", "lower",    "zlib",   "zlib_bytes", "ratio", "reference", "min_k", "min_k_plus_plus",
    "surp", "gradnorm", "emia_p", "emia_r",     "lira",  "rmia",      "iam"};
/// Those that losses alone give.
bool from_losses(std::string_view score);

/// True if the model has tokens or losses of every split.
bool has_losses_of(const evidence::Model& model, std::initializer_list<std::string_view> splits);

/// Mean negative log-likelihood of each sequence, or the loss of each row.
std::vector<double> row_losses(const evidence::Evidence& evidence, const evidence::Model& model,
                               std::string_view split);

/// The shadow models with tokens or losses of forget and `other`, in name order; 0: all.
Models lm_shadows(const evidence::Evidence& evidence, std::string_view other, std::size_t limit);

/// What the models of a comparison share: losses of shadows and of the fitted models on forget
/// sequences and on those of one other split.
class LmEvidence {
 public:
  /// `other`: "retain" or "test".
  LmEvidence(const Comparison& comparison, const LmSettings& settings,
             std::string_view other = "retain");

  std::size_t forget_rows() const { return forget_rows_; }

  /// Every score of kLmScores, in that order, of a model that has losses of both splits.
  std::vector<LmScore> scores(const evidence::Model& model) const;

  /// The score that sees texts only: probability of the other split, out of fold.
  LmScore bag_of_words(std::uint64_t seed) const;

 private:
  struct Target;

  LmScore lower(const Target& target) const;
  LmScore zlib(const Target& target, bool bytes) const;
  LmScore ratio(const Target& target) const;
  LmScore reference(const Target& target) const;
  LmScore min_k(const Target& target) const;
  LmScore min_k_plus_plus(const Target& target) const;
  LmScore surp(const Target& target) const;
  LmScore gradient_norm(const Target& target) const;
  LmScore emia_p(const Target& target) const;
  LmScore emia_r(const Target& target) const;
  LmScore lira(const Target& target) const;
  LmScore rmia(const Target& target) const;
  LmScore iam(const Target& target) const;

  std::vector<double> losses(const evidence::Model& model, std::string_view split) const;
  std::vector<double> query_losses(const evidence::Model& model) const;
  /// Forget texts, then those of the other split; empty if one is not there.
  std::vector<std::string> texts() const;
  Reason needs_shadow() const;
  /// "FOLDER/tokens/{forget,retain}SUFFIX": what to add for a score of both splits.
  std::string token_files(const evidence::Model& model, std::string_view suffix) const;
  void read_shadows(const LmSettings& settings);
  void read_fitted(const Models& models);
  /// Places of the sequences in the order in which IAM cuts them into batches.
  std::vector<std::size_t> batch_order(std::size_t rows) const;

  const evidence::Evidence& evidence_;
  LmSettings settings_;
  std::string other_;
  std::size_t forget_rows_ = 0;
  std::size_t other_rows_ = 0;
  Matrix shadows_;             ///< losses [shadows, forget + other]
  std::string population_;     ///< the split that RMIA compares with
  Matrix shadows_population_;  ///< losses [shadows, population]; no rows: a shadow lacks it
  std::vector<std::string> fitted_by_;     ///< ids of the models that stand for "fitted"
  std::vector<double> fitted_;             ///< losses, mean over them; empty: none
  std::vector<double> fitted_population_;  ///< likewise on the population
  double offline_in_ = kUndefined;         ///< response of shadows on their own training sequences
};

}  // namespace vestige::metrics
