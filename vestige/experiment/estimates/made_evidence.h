// Evidence with synthetic outputs, of a variant's shape: what audits are timed on before there are
// models.
#pragma once

#include <compare>
#include <cstddef>
#include <string>

#include "vestige/base/seed.h"
#include "vestige/evidence/evidence.h"
#include "vestige/experiment/experiment.h"

namespace vestige::experiment {

/// How many models of each kind evidence is made up of.
struct MadeCounts {
  std::size_t originals = 1;  ///< and as many unlearned models
  std::size_t retrained = 2;
  std::size_t shadows = 0;
  std::size_t random = 0;
  std::size_t verification = 0;
  std::size_t membership = 0;  ///< models of random halves
  std::size_t series = 0;      ///< of models kept on the way from a shadow to the original
  std::size_t steps = 0;       ///< models of a series

  /// Models with numbers of their own, the constant predictor among them.
  double compared() const { return static_cast<double>(2 * originals + retrained + 1); }
  double all() const {
    return static_cast<double>(2 * originals + retrained + shadows + random + verification +
                               membership + series * steps);
  }
  auto operator<=>(const MadeCounts&) const = default;
};

class MadeEvidence {
 public:
  /// `share` of the rows of each split that the variant collects, a few at least.
  MadeEvidence(const Variant& variant, const MadeCounts& counts, double share);

  const evidence::Evidence& evidence() const { return evidence_; }
  double rows() const;

 private:
  void add(const std::string& role, const std::string& method, std::size_t count, double fit);
  void add_membership(std::size_t count);
  void add_series(const MadeCounts& counts);
  evidence::Array logits(const std::vector<std::int64_t>& labels, double fit);
  evidence::Array losses(std::size_t rows);
  evidence::Array noise(std::size_t rows, std::size_t width);

  const Variant& variant_;
  const bool denoiser_;  ///< says losses and no logits
  evidence::Evidence evidence_;
  Stream stream_{1, "probe"};
};

/// Rows of the variant's largest split that is collected.
std::size_t largest_split(const Variant& variant);
/// Numbers that one model has for one row: logits, activations, a saliency map.
double values_per_row(const Variant& variant);

}  // namespace vestige::experiment
