// The attack behind MIAU: a classifier that tells the rows of one split from those of another,
// judged on held-out rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"
#include "vestige/metrics/learn/logistic_near.h"
#include "vestige/metrics/learn/splits.h"

namespace vestige::metrics {

enum class AttackClassifier {
  logistic,  ///< scikit-learn's default objective, as in the MIAU paper
  svc_rbf,   ///< LIBSVM, C = 3, gamma = 1 / features
  xgboost    ///< boosted trees with the library's defaults, as in the paper's saliency attack
};

/// "logistic", ...
std::string_view name(AttackClassifier classifier);
/// By name; InputError lists the names.
AttackClassifier attack_classifier(std::string_view name);
/// The most rows of one side that a classifier is given; 0: no limit.
std::size_t row_limit(AttackClassifier classifier);

/// One side of a pair: the rows of one matrix, or of several as if stacked.
class PairSide {
 public:
  explicit PairSide(std::vector<MatrixView> parts);
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return parts_.front().cols; }
  std::span<const double> row(std::size_t index) const;

 private:
  std::vector<MatrixView> parts_;
  std::size_t rows_ = 0;
};

/// Which rows take part and how they are split: drawn from the sizes alone, so that every model is
/// attacked with the same draw.
struct PairDraw {
  std::vector<std::size_t> first;   ///< rows of the first side; as many as of the second
  std::vector<std::size_t> second;  ///< rows of the second side
  LabelSplit split;                 ///< of the stacked rows, first side first
};

struct PairDrawOptions {
  double test_fraction = 0.2;  ///< share of rows held out, stratified
  std::size_t max_rows = 0;    ///< per side; 0: as many as the smaller side has
};

/// Size match by subsampling the larger side, then a stratified split, both from `stream`.
PairDraw draw_pair(std::size_t first_rows, std::size_t second_rows, Stream& stream,
                   const PairDrawOptions& options = {});

struct PairAttack {
  double accuracy = kUndefined;  ///< share of held-out rows put on the right side; 0.5 is chance
  std::size_t rows = 0;          ///< rows of both sides that took part
  std::size_t held_out = 0;      ///< of them, rows that the accuracy counts
  bool constant = false;  ///< all training rows are equal: the attack cannot but be at chance
};

/// Fits the classifier on the training rows of the draw. InputError if logistic or svc_rbf get
/// fewer rows on a side than there are features. `start`, from another draw of the same sides,
/// makes the logistic fit cheap and leaves its optimum as it is.
PairAttack pair_attack(const PairSide& first, const PairSide& second, const PairDraw& draw,
                       AttackClassifier classifier = AttackClassifier::logistic,
                       std::uint64_t seed = 1, const LogisticStart* start = nullptr);

/// What attacks on further draws of these sides may begin with; no weights where nothing helps.
LogisticStart pair_start(const PairSide& first, const PairSide& second, const PairDraw& draw,
                         AttackClassifier classifier);

}  // namespace vestige::metrics
