// Points of plots: by hand, and properties of thinned curves.
#include "vestige/metrics/series.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

using testing::error_of;
using testing::holds;

/// Members with mean `shift`, others with mean 0, both of spread 1; `step` rounds scores, so that
/// there are ties.
RocCurve normal_curve(std::size_t members, std::size_t others, double shift, double step = 0) {
  Stream stream(3, "series_test");
  std::vector<double> scores;
  std::vector<int> labels;
  for (std::size_t i = 0; i < members + others; ++i) {
    const bool member = i < members;
    const double score = stream.normal() + (member ? shift : 0);
    scores.push_back(step > 0 ? std::round(score / step) * step : score);
    labels.push_back(member ? 1 : 0);
  }
  return roc_curve(scores, labels);
}

double area(const RocCurve& curve) {
  double sum = 0;
  for (std::size_t i = 1; i < curve.fpr.size(); ++i) {
    sum += (curve.fpr[i] - curve.fpr[i - 1]) * (curve.tpr[i] + curve.tpr[i - 1]) / 2;
  }
  return sum;
}

std::vector<RocCurve> curves() {
  return {normal_curve(4000, 1000, 0),      normal_curve(4000, 1000, 0.5),
          normal_curve(300, 3000, 2),       normal_curve(3000, 300, -1),
          normal_curve(5000, 5000, 1, 0.1), normal_curve(400, 400, 8),
          normal_curve(20000, 20000, 0.2),  normal_curve(7, 5, 0.5)};
}

TEST(Thin, KeepsPointsEndsAndArea) {
  for (const RocCurve& full : curves()) {
    const RocCurve few = thin(full);
    ASSERT_EQ(few.fpr.size(), few.tpr.size());
    EXPECT_LE(few.fpr.size(), kMostPoints);
    EXPECT_EQ(few.fpr.front(), 0);
    EXPECT_EQ(few.tpr.front(), 0);
    EXPECT_EQ(few.fpr.back(), 1);
    EXPECT_EQ(few.tpr.back(), 1);
    std::size_t next = 0;
    for (std::size_t i = 0; i < few.fpr.size(); ++i) {  // every point is one of the curve, in order
      while (next < full.fpr.size() &&
             (full.fpr[next] != few.fpr[i] || full.tpr[next] != few.tpr[i])) {
        ++next;
      }
      ASSERT_LT(next, full.fpr.size()) << i;
    }
    EXPECT_NEAR(area(few), area(full), 0.005);
  }
}

// On logarithmic axes: between the points that are left, lines of log TPR over log FPR miss the
// full curve by less than a tenth of a decade wherever three false positives or more are allowed.
TEST(Thin, KeepsTheLowEnd) {
  for (const RocCurve& full : {normal_curve(4000, 4000, 0.5), normal_curve(20000, 20000, 1.5)}) {
    const RocCurve few = thin(full);
    const double least = full.fpr[full.fpr.size() - 1] * 3 / 4000;
    for (double fpr = least; fpr < 1; fpr *= 1.1) {
      const auto above = std::upper_bound(few.fpr.begin(), few.fpr.end(), fpr);
      const auto right = static_cast<std::size_t>(above - few.fpr.begin());
      ASSERT_GT(few.fpr[right - 1], 0) << "a point is left below three false positives";
      const double share =
          std::log(fpr / few.fpr[right - 1]) / std::log(few.fpr[right] / few.fpr[right - 1]);
      const double log_tpr =
          std::log10(few.tpr[right - 1]) * (1 - share) + std::log10(few.tpr[right]) * share;
      EXPECT_NEAR(log_tpr, std::log10(tpr_below_fpr(full, fpr)), 0.1) << fpr;
    }
  }
}

TEST(Thin, ByHand) {
  // Inner points of straight pieces go; the corner stays.
  const RocCurve curve{{0, 0, 0, 0.5, 1}, {0, 0.5, 1, 1, 1}};
  EXPECT_EQ(thin(curve).fpr, (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(thin(curve).tpr, (std::vector<double>{0, 1, 1}));
  // Straight on both axes: (0.5, 0.5) lies on the diagonal, which logarithms do not bend.
  EXPECT_EQ(thin({{0, 0.5, 1}, {0, 0.5, 1}}).fpr.size(), 2U);
  // (0.5, 0.25) has a triangle of 0.125 with the ends, (0.75, 0.7) one of about 0.1 with its
  // neighbours; on log axes (scaled by ln 4 and ln 8 ) the first is the larger one too.
  EXPECT_EQ(thin({{0, 0.5, 0.75, 1}, {0, 0.25, 0.7, 1}}, 3).fpr, (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(thin({{0, 1}, {0, 1}}).fpr.size(), 2U);
  EXPECT_TRUE(thin(RocCurve{}).fpr.empty());
  EXPECT_TRUE(holds(error_of([] { thin({{0, 1}, {0, 1}}, 1); }), {"at least 2"}));
}

TEST(Bins, ByHand) {
  EXPECT_EQ(equal_bins(0, 1, 4), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(equal_bins(2, 2, 2), (std::vector<double>{1.5, 2, 2.5})) << "as numpy.histogram";
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {0, 0.25, 0.3, 1, nan, 1.5, -infinity};
  const Histogram histogram = count_bins(values, equal_bins(0, 1, 4));
  EXPECT_EQ(histogram.counts, (std::vector<std::size_t>{1, 2, 0, 1}));
  EXPECT_EQ(histogram.left_out, 3U);
  const std::vector<double> first = {3, nan}, second = {1, infinity};
  EXPECT_EQ(pooled_bins({first, second}, 2), (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(pooled_bins({std::vector<double>{nan}}, 2).empty());
  EXPECT_TRUE(holds(error_of([] { equal_bins(1, 0, 2); }), {"1", "0", "ascending"}));
  EXPECT_TRUE(holds(error_of([] { equal_bins(0, 1, 0); }), {"at least one bin"}));
}

TEST(SortedSeries, ByHand) {
  const evidence::Evidence evidence;
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.subject = parse_subject("unlearned/ft");
  const std::vector<double> values = {1, 5, std::nan(""), 3, 2};
  const Series all = sorted_series("epsilon", values, comparison);
  EXPECT_EQ(all.columns[0].second, (std::vector<double>{0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(all.columns[1].second, (std::vector<double>{5, 3, 2, 1}));
  EXPECT_EQ(all.params["left_out"], 1);
  EXPECT_EQ(all.subject.id(), "unlearned/ft");
  std::vector<double> many;
  for (int i = 0; i < 1000; ++i) many.push_back(i);
  const Series few = sorted_series("epsilon", many, comparison, 4);
  EXPECT_EQ(few.columns[1].second, (std::vector<double>{999, 666, 333, 0})) << "both ends are kept";
  EXPECT_TRUE(sorted_series("epsilon", {}, comparison).columns[0].second.empty());
}

}  // namespace
}  // namespace vestige::metrics
