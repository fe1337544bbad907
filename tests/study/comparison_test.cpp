// Comparison of methods on rows made by hand.
#include "vestige/study/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/study/study_rows.h"
#include "vestige/study/variance.h"

namespace vestige::study {
namespace {

using result::Code;
using result::Reason;
using result::reason;
using result::Reasons;

/// Methods a < b < c in badness, over `blocks` originals of one split, with a little noise.
std::vector<StudyRow> ordered_methods(std::size_t blocks, const std::string& metric,
                                      double turn = 1) {
  const double noise[] = {0.01, -0.02, 0.015, 0.0, -0.01, 0.02, -0.015, 0.005};
  std::vector<StudyRow> rows;
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto add = [&](const std::string& method, double value) {
      rows.push_back(make({.model = "unlearned/" + method + "/" + std::to_string(block),
                           .value = turn * (value + 0.1 * static_cast<double>(block)),
                           .metric = metric}));
    };
    add("c", 0.8 - noise[(block + 3) % 8]);
    add("a", 0.2 + noise[block % 8]);
    add("b", 0.4 - noise[(block + 1) % 8]);
    add("identity", 0.9);
  }
  return rows;
}

const MethodPair& pair_of(const MetricComparison& metric, const std::string& left,
                          const std::string& right) {
  for (const MethodPair& pair : metric.pairs) {
    if (pair.left == left && pair.right == right) return pair;
  }
  ADD_FAILURE() << "no pair " << left << ", " << right;
  return metric.pairs.front();
}

TEST(Comparison, OrdersMethodsAndSaysSo) {
  const MethodComparison seen = compare_methods(ordered_methods(8, "iam.online.bce"));
  ASSERT_EQ(seen.metrics.size(), 1u);
  const MetricComparison& metric = seen.metrics[0];
  ASSERT_EQ(metric.methods.size(), 4u);
  EXPECT_EQ(metric.methods[0].method, "a");
  EXPECT_EQ(metric.methods[1].method, "b");
  EXPECT_EQ(metric.methods[2].method, "c");
  EXPECT_EQ(metric.methods[3].method, "identity");
  EXPECT_TRUE(metric.methods[3].control);
  EXPECT_TRUE(std::isnan(metric.methods[3].rank.value));
  EXPECT_DOUBLE_EQ(metric.methods[0].rank.value, 1);
  EXPECT_DOUBLE_EQ(metric.methods[0].best, 1);
  EXPECT_EQ(metric.blocks, 8u);
  EXPECT_TRUE(metric.stable);
  EXPECT_EQ(metric.reasons, Reasons{reason(Code::first_place_stable, "a", 1.0, 8)});
  EXPECT_EQ(seen.tests, 3u);
  const MethodPair& pair = pair_of(metric, "a", "b");
  EXPECT_EQ(pair.better, "a");
  EXPECT_LT(pair.adjusted_p, 1e-4);
  EXPECT_DOUBLE_EQ(pair.wilcoxon_p, 2.0 / 256);  // all 8 of one sign
}

TEST(Comparison, PairedTestByHand) {
  // Differences -1, -3, -2: mean -2, sd 1, t = -2 sqrt(3) = -3.4641 on 2 df, two-sided p = 0.0742
  // (for 2 df: p = 1 - |t| / sqrt(2 + t^2) = 1 - 3.4641 / sqrt(14)).
  const std::vector<StudyRow> rows = make_all({
      {.model = "unlearned/x/0", .value = 1, .metric = "iam.online.bce"},
      {.model = "unlearned/y/0", .value = 2, .metric = "iam.online.bce"},
      {.model = "unlearned/x/1", .value = 2, .metric = "iam.online.bce"},
      {.model = "unlearned/y/1", .value = 5, .metric = "iam.online.bce"},
      {.model = "unlearned/x/2", .value = 0, .metric = "iam.online.bce"},
      {.model = "unlearned/y/2", .value = 2, .metric = "iam.online.bce"},
      {.model = "unlearned/y/3", .value = 9, .metric = "iam.online.bce"},  // no partner
  });
  const MethodComparison seen = compare_methods(rows);
  const MetricComparison& metric = seen.metrics[0];
  const MethodPair& pair = pair_of(metric, "x", "y");
  EXPECT_EQ(pair.n, 3u);
  EXPECT_NEAR(pair.p, 1 - 2 * std::sqrt(3.0) / std::sqrt(14.0), 1e-9);
  EXPECT_NEAR(pair.cohen_d, -2, 1e-12);
  EXPECT_EQ(pair.better, "");
  EXPECT_TRUE(std::isnan(pair.wilcoxon_p));
  EXPECT_EQ(metric.blocks, 3u);
  EXPECT_EQ(metric.left_out, 1u);
  EXPECT_FALSE(metric.stable);
  ASSERT_EQ(metric.reasons.size(), 1u);
  EXPECT_EQ(metric.reasons[0], reason(Code::first_place_few_blocks, "x", 1.0, 3));
}

// The competition's setups measure one pool again and again: that is one block, not three.
TEST(Comparison, VariantsWithTheSameModelsAreOneBlock) {
  std::vector<StudyRow> rows;
  for (const char* variant : {"pool", "full", "bootstrap"}) {
    for (StudyRow row : ordered_methods(1, "iam.online.bce")) {
      row.variant = variant;
      row.row.value += variant[0] == 'f' ? 0.3 : 0;
      row.models = "original and split";
      rows.push_back(row);
    }
  }
  const MethodComparison seen = compare_methods(rows);
  ASSERT_EQ(seen.metrics.size(), 1u);
  EXPECT_EQ(seen.metrics[0].blocks, 1u);
  EXPECT_EQ(seen.tests, 0u);
  // a is 0.2 + 0.01 in two variants and 0.3 above that in the third.
  EXPECT_NEAR(seen.metrics[0].methods[0].value.value, 0.21 + 0.1, 1e-12);
  for (StudyRow& row : rows) row.models.clear();
  EXPECT_EQ(compare_methods(rows).metrics[0].blocks, 3u);
}

TEST(Comparison, TwoBlocksAreNotTested) {
  std::vector<StudyRow> rows = ordered_methods(2, "iam.online.bce");
  const MethodComparison seen = compare_methods(rows);
  EXPECT_EQ(seen.tests, 0u);
  EXPECT_TRUE(std::isnan(seen.metrics[0].pairs[0].adjusted_p));
  EXPECT_EQ(seen.metrics[0].pairs[0].better, "");
  // Two values show no spread: no effect size.
  EXPECT_TRUE(std::isnan(seen.metrics[0].pairs[0].cohen_d));
}

/// A controls' table that says that the metric failed in these variants.
std::vector<ControlRow> failed_in(const std::string& metric,
                                  const std::vector<std::string>& variants) {
  std::vector<ControlRow> table;
  for (const std::string& variant : variants) {
    table.push_back({.measure = {metric, "", "main"},
                     .variant = variant,
                     .verdict = ControlVerdict::failed,
                     .reason = Code::not_meant_to_discriminate});
  }
  return table;
}

TEST(Comparison, AMetricWhoseControlsFailedRanksNobody) {
  std::vector<StudyRow> rows = ordered_methods(8, "iam.online.bce");
  const std::vector<StudyRow> other = ordered_methods(8, "attacks.loss.auc");
  rows.insert(rows.end(), other.begin(), other.end());
  const MethodComparison seen = compare_methods(rows, {}, failed_in("iam.online.bce", {"main"}));
  ASSERT_EQ(seen.metrics.size(), 2u);
  const MetricComparison& failed = seen.metrics[0];
  EXPECT_TRUE(failed.failed);
  EXPECT_TRUE(failed.pairs.empty());
  EXPECT_FALSE(failed.stable);
  EXPECT_EQ(failed.methods.size(), 4u);  // the values stay, with the mark
  for (const MethodRank& method : failed.methods) {
    EXPECT_TRUE(std::isnan(method.rank.value)) << method.method;
    EXPECT_TRUE(std::isnan(method.best)) << method.method;
    EXPECT_FALSE(std::isnan(method.value.value)) << method.method;
  }
  EXPECT_EQ(failed.reasons,
            Reasons{reason(Code::ranks_nobody, Reason(Code::not_meant_to_discriminate))});
  EXPECT_TRUE(seen.metrics[1].stable);
  EXPECT_EQ(seen.tests, 3u);  // of the other metric alone
  EXPECT_TRUE(seen.agreement.empty());
}

TEST(Comparison, VariantsInWhichTheControlsFailedAreLeftOut) {
  std::vector<StudyRow> rows = ordered_methods(6, "iam.online.bce");
  std::vector<StudyRow> broken = ordered_methods(6, "iam.online.bce", -1);
  for (StudyRow& row : broken) row.variant = "broken";
  rows.insert(rows.end(), broken.begin(), broken.end());
  const MethodComparison seen = compare_methods(rows, {}, failed_in("iam.online.bce", {"broken"}));
  ASSERT_EQ(seen.metrics.size(), 1u);
  EXPECT_EQ(seen.metrics[0].blocks, 6u);
  EXPECT_EQ(seen.metrics[0].variants, std::vector<std::string>{"main"});
  EXPECT_EQ(seen.metrics[0].methods[0].method, "a");
  ASSERT_EQ(seen.metrics[0].reasons.size(), 2u);
  EXPECT_EQ(seen.metrics[0].reasons[1],
            reason(Code::variants_left_out, std::vector<std::string>{"broken"}));
}

TEST(Comparison, IntervalsOfDistancesAndAccuraciesStayWithinThePossible) {
  // Distances 0.01 and 0.09 to retrained: the t interval on one degree of freedom is 0.05 +- 0.51.
  std::vector<StudyRow> rows;
  const double accuracy[] = {0.99, 0.91};
  for (int block = 0; block < 2; ++block) {
    rows.push_back(make({.model = "unlearned/a/" + std::to_string(block),
                         .value = accuracy[block],
                         .metric = "utility.accuracy.forget",
                         .direction = metrics::Direction::match,
                         .reference = 1}));
  }
  const MethodRank method = compare_methods(rows).metrics[0].methods[0];
  EXPECT_EQ(method.badness.lower, 0);
  EXPECT_NEAR(method.badness.upper, 0.05 + 12.706205 * 0.04, 1e-6);
  EXPECT_EQ(method.value.upper, 1);
  EXPECT_GE(method.value.lower, 0);
}

TEST(Comparison, HigherIsTurnedAndAgreementIsFull) {
  // conformal.miacr: higher is better in its table; here the rows say it.
  std::vector<StudyRow> rows = ordered_methods(6, "iam.online.bce");
  std::vector<StudyRow> other = ordered_methods(6, "conformal.miacr", -1);
  for (StudyRow& row : other) row.row.direction = metrics::Direction::higher;
  rows.insert(rows.end(), other.begin(), other.end());
  const MethodComparison seen = compare_methods(rows);
  ASSERT_EQ(seen.metrics.size(), 2u);
  EXPECT_EQ(seen.metrics[1].methods[0].method, "a");
  ASSERT_EQ(seen.agreement.size(), 1u);
  EXPECT_DOUBLE_EQ(seen.agreement[0].tau, 1);
  EXPECT_EQ(seen.agreement[0].methods, 3u);
  EXPECT_NEAR(seen.agreement[0].p, 2.0 / 6, 1e-12);
  EXPECT_EQ(seen.tests, 6u);
}

TEST(Comparison, UnsettledFirstPlaceIsSaid) {
  std::vector<StudyRow> rows;
  for (std::size_t block = 0; block < 6; ++block) {
    for (const auto& [method, value] :
         {std::pair{"x", block % 2 == 0 ? 1.0 : 2.0}, std::pair{"y", block % 2 == 0 ? 2.0 : 1.0}}) {
      rows.push_back(
          make({.model = std::string("unlearned/") + method + "/" + std::to_string(block),
                .value = value,
                .metric = "iam.online.bce"}));
    }
  }
  const MethodComparison seen = compare_methods(rows);
  EXPECT_FALSE(seen.metrics[0].stable);
  EXPECT_EQ(seen.metrics[0].reasons.at(0).code, Code::first_place_open);
  EXPECT_TRUE(compare_methods({}).metrics.empty());
}

TEST(Variance, SaysWhichLevelTheNoiseComesFrom) {
  // Two splits, two originals, two runs, two attacks; only the original matters: +-1.
  std::vector<StudyRow> rows;
  for (std::uint64_t split = 1; split <= 2; ++split) {
    for (int original = 0; original < 2; ++original) {
      for (int run = 0; run < 2; ++run) {
        for (std::uint64_t attack = 1; attack <= 2; ++attack) {
          rows.push_back(
              make({.model = "unlearned/a/" + std::to_string(original) + "." + std::to_string(run),
                    .value = original == 0 ? -1.0 : 1.0,
                    .metric = "iam.online.bce",
                    .split_seed = split,
                    .attack_seed = attack}));
        }
      }
    }
  }
  const std::vector<VarianceRow> table = variance_breakdown(rows);
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[0].method, "a");
  EXPECT_EQ(table[1].method, "*");
  EXPECT_EQ(table[0].noisiest, Level::training);
  EXPECT_DOUBLE_EQ(table[0].levels[1].component, 2);  // variance of -1 and 1
  EXPECT_TRUE(table[0].levels[0].negative);           // (0 - MS of training) / 8 is below 0
  const std::vector<std::string> none;
  EXPECT_EQ(table[0].source, reason(Code::noise_mostly_from, 1.0, "training", none, none));
  EXPECT_EQ(table[1].source, reason(Code::noise_mostly_from, 1.0, "training", none, none));
  EXPECT_EQ(table[1].noisiest, Level::training);
}

TEST(Variance, OneMemberIsSaid) {
  const std::vector<VarianceRow> table = variance_breakdown(make_all({
      {.model = "unlearned/a/0", .value = 1},
      {.model = "unlearned/a/1", .value = 3},
      {.model = "unlearned/b/0", .value = 1},
  }));
  EXPECT_EQ(table[0].source, reason(Code::noise_mostly_from, 1.0, "training",
                                    std::vector<std::string>{"unlearning", "attack"},
                                    std::vector<std::string>{"split"}));
  EXPECT_EQ(table[1].source, Reason(Code::noise_not_seen));
}

}  // namespace
}  // namespace vestige::study
