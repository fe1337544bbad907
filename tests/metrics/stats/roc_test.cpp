// ROC against scikit-learn's values in tests/reference and pair counting.
#include "vestige/metrics/stats/roc.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/metrics/support/attack_case.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

TEST(Roc, ReferenceCases) {
  for (const char* name : {"constant", "perfect", "reversed", "ties"}) {
    const AttackCase test_case("roc_auc", name);
    const std::vector<double> scores = test_case.input("scores");
    const std::vector<int> labels = as_labels(test_case.input("labels"));
    const RocCurve curve = roc_curve(scores, labels);
    std::vector<double> rates;
    for (const double fpr : {0.0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0}) {
      rates.push_back(tpr_at_fpr(curve, fpr));
    }
    test_case.check("auc", {auc(scores, labels)});
    test_case.check("acc", {best_balanced_accuracy(curve)});
    test_case.check("tpr_at_fpr", rates);
  }
}

TEST(Roc, AreaUnderThePointsIsTheAuc) {
  Stream stream(11, "test.roc");
  for (int round = 0; round < 40; ++round) {
    std::vector<double> scores(30);
    std::vector<int> labels(30);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = static_cast<double>(stream.below(8));
      labels[i] = i < 2 ? static_cast<int>(i) : static_cast<int>(stream.below(2));
    }
    const RocCurve curve = roc_curve(scores, labels);
    double area = 0;
    for (std::size_t i = 1; i < curve.fpr.size(); ++i) {
      area += (curve.fpr[i] - curve.fpr[i - 1]) * (curve.tpr[i] + curve.tpr[i - 1]) / 2;
    }
    EXPECT_NEAR(auc(scores, labels), area, 1e-12);
  }
}

TEST(Roc, StepAndInterpolatedRatesByHand) {
  // Scores 4 (+), 3 (-), 2 (+), 1 (-): points (0,0) (0,.5) (.5,.5) (.5,1) (1,1).
  const std::vector<double> scores{4, 3, 2, 1};
  const std::vector<int> labels{1, 0, 1, 0};
  const RocCurve curve = roc_curve(scores, labels);
  EXPECT_DOUBLE_EQ(tpr_below_fpr(curve, 0), 0.5);
  EXPECT_DOUBLE_EQ(tpr_below_fpr(curve, 0.49), 0.5);
  EXPECT_DOUBLE_EQ(tpr_below_fpr(curve, 0.5), 1);
  // Curves of files may lack their first point, where nobody is called positive.
  EXPECT_EQ(tpr_below_fpr({.fpr = {0.1, 1}, .tpr = {0.5, 1}}, 0.05), 0);
  EXPECT_DOUBLE_EQ(tpr_at_fpr(curve, 0.5), 1);
  EXPECT_DOUBLE_EQ(best_balanced_accuracy(curve), 0.75);
  EXPECT_DOUBLE_EQ(auc(scores, labels), 0.75);
}

TEST(Roc, DeLongByPlacements) {
  // Plain form: variances of the share of the other sample below (ties one half), per row.
  const std::vector<double> positives{3, 1, 4, 4, 5}, negatives{2, 1, 4, 0};
  const auto placements = [](const std::vector<double>& own, const std::vector<double>& others) {
    std::vector<double> shares;
    for (const double x : own) {
      double below = 0;
      for (const double y : others) below += x > y ? 1 : x == y ? 0.5 : 0;
      shares.push_back(below / static_cast<double>(others.size()));
    }
    return shares;
  };
  const double spread = std::sqrt(variance(placements(positives, negatives)) / 5 +
                                  variance(placements(negatives, positives)) / 4);
  const Estimate result = auc_interval(positives, negatives, 0.5);
  EXPECT_DOUBLE_EQ(result.value, auc_of_samples(positives, negatives));
  EXPECT_NEAR(result.upper - result.value, 0.6744897501960817 * spread, 1e-12);  // Phi^-1(3/4)
  EXPECT_TRUE(std::isnan(auc_interval(std::vector<double>{1}, negatives).lower));
  // Separated samples: two disjoint pairs, both won; Clopper-Pearson's lower end is 0.025^(1/2).
  EXPECT_NEAR(auc_interval(std::vector<double>{5, 6}, std::vector<double>{1, 2}).lower,
              0.15811388300841897, 1e-12);
}

TEST(Roc, UndefinedAndBadInput) {
  const std::vector<double> scores{1, 2};
  EXPECT_TRUE(std::isnan(auc(scores, std::vector<int>{1, 1})));
  EXPECT_TRUE(roc_curve(scores, std::vector<int>{0, 0}).fpr.empty());
  EXPECT_TRUE(std::isnan(tpr_at_fpr({}, 0.1)));
  EXPECT_TRUE(std::isnan(auc(std::vector<double>{1, std::nan("")}, std::vector<int>{0, 1})));
  EXPECT_TRUE(std::isnan(auc({}, {})));
  EXPECT_THROW(auc(scores, std::vector<int>{1}), InputError);
  EXPECT_THROW(auc(scores, std::vector<int>{1, 2}), InputError);
}

}  // namespace
}  // namespace vestige::metrics
