// How often verdicts are wrong, and how often right, on models whose answer is known: fresh
// retrained models, half-forgotten ones and originals given as methods. The table of
// docs/validation/verdict-rates.md is what this prints.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/audit/known_models.h"
#include "tests/audit/known_rates.h"
#include "vestige/audit/audit.h"
#include "vestige/audit/verdicts/differences.h"
#include "vestige/metrics/inputs/row_signals.h"
#include "vestige/words/verdicts.h"

namespace vestige::audit {
namespace {

class VerdictRates : public ::testing::TestWithParam<std::size_t> {};

// The goals of the page: wrong in at most 5 % of draws, right in at least 95 and 90 %.
TEST_P(VerdictRates, OnKnownModels) {
  const Rates seen = rates(known(), GetParam());
  EXPECT_LE(seen.false_alarms, 0.05 + 1e-9);
  EXPECT_LE(seen.half_wrongly_cleared, 0.05 + 1e-9);
  EXPECT_GE(seen.original_detected, 0.95);
  EXPECT_GE(seen.half_detected, 0.90);
  if (GetParam() >= 3) {
    EXPECT_GE(seen.fresh_forgotten, 0.80);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, VerdictRates, ::testing::Values(1, 2, 3, 5, 10));

// A whole class is forgotten: its test rows belong to the target, those of other classes are the
// holdout_gap. Half-forgotten models were trained on half of the class.
TEST(VerdictRatesByClass, OnKnownModels) {
  KnownModels class_models("known_class.npz");
  class_models.forget_rows = 200;
  std::mt19937_64 generator(1);
  const AuditResult one = audit(draw(class_models, 1, generator), asked());
  EXPECT_NE(words::limits(one.verdicts.at(0)).find("suppresses the class"), std::string::npos);
  for (const std::size_t models : std::vector<std::size_t>{1, 2, 3, 5}) {
    const Rates seen = rates(class_models, models);
    EXPECT_LE(seen.false_alarms, 0.05 + 1e-9) << models;
    EXPECT_GE(seen.fresh_forgotten, 0.80) << models;
    EXPECT_LE(seen.half_wrongly_cleared, 0.05 + 1e-9) << models;
    EXPECT_GE(seen.original_detected, 0.95) << models;
    EXPECT_GE(seen.half_detected, 0.90) << models;
  }
}

// Fewer forget rows: false alarms stay rare, only power goes.
TEST(VerdictRatesByRows, FewRowsRaiseNoFalseAlarms) {
  for (const std::size_t rows : std::vector<std::size_t>{50, 150, 450}) {
    KnownModels few;
    few.forget_rows = rows;
    const Rates seen = rates(few, 1);
    EXPECT_LE(seen.false_alarms, 0.07) << rows;
    EXPECT_LE(seen.half_wrongly_cleared, 0.05 + 1e-9) << rows;
  }
}

// Why unseen rows are needed: the same models by a paired test over forget rows alone, which takes
// two trainings for one that forgot. With more models it gets worse.
TEST(VerdictRatesPaired, APairedTestRaisesFalseAlarms) {
  Evidence evidence;
  std::vector<std::size_t> all(known().models("retrained"));
  std::iota(all.begin(), all.end(), std::size_t{0});
  known().add(evidence, "retrained", "", "retrained", all);
  std::vector<std::vector<metrics::RowSignal>> signals;
  for (const Model& model : evidence.groups.front().models) {
    signals.push_back(metrics::row_signals(Context(), evidence, model, "forget"));
  }
  const auto mean_of = [&](const std::vector<std::size_t>& models, std::size_t signal) {
    std::vector<double> mean(known().forget_rows);
    for (const std::size_t model : models) {
      for (std::size_t row = 0; row < mean.size(); ++row) {
        mean[row] += signals[model][signal].values[row] / static_cast<double>(models.size());
      }
    }
    return mean;
  };
  constexpr int kDraws = 400;
  for (std::size_t signal = 0; signal < signals.front().size(); ++signal) {
    for (const std::size_t models : std::vector<std::size_t>{1, 5}) {
      std::mt19937_64 generator(models);
      int alarms = 0;
      for (int i = 0; i < kDraws; ++i) {
        const auto drawn = shuffled(all.size(), generator);
        alarms += paired_difference(mean_of(part(drawn, 0, models), signal),
                                    mean_of(part(drawn, models, models), signal), 1)
                      .p < 0.05;
      }
      const double rate = static_cast<double>(alarms) / kDraws;
      fmt::print("paired, {}, {} per group: {:.2f}\n", signals[0][signal].name, models, rate);
      if (signals[0][signal].name == "probability") {
        EXPECT_GT(rate, 0.15);
      }
    }
  }
}

/// One model of a role as the only method, without retrained models; forget rows were drawn at
/// random.
Verdict alone(const std::string& from, std::size_t number) {
  Evidence evidence;
  evidence.exchangeable = true;
  known().add(evidence, "original", "", "original", {number == 0 || from != "original" ? 1u : 0u});
  known().add(evidence, "unlearned", "method", from, {number});
  return audit(evidence, {.metrics = {"holdout_gap"}}).verdicts.at(0);
}

TEST(VerdictRatesAlone, WithoutAnyRetrainedModel) {
  const auto alarms = [](const std::string& from) {
    std::size_t count = 0;
    for (std::size_t number = 0; number < known().models(from); ++number) {
      const Verdict verdict = alone(from, number);
      EXPECT_NE(verdict.word, Word::forgotten);
      count += verdict.word == Word::traces_remain ? 1 : 0;
    }
    return count;
  };
  EXPECT_LE(alarms("retrained"), 1U) << "of 24";
  EXPECT_EQ(alarms("half"), 8U);
  EXPECT_EQ(alarms("original"), 12U);
}

/// A retrained model alone as a method, beside the four shadow models; of the forget rows all, or
/// those whose label the first shadow model says.
Verdict beside_shadows(bool chosen) {
  Evidence evidence;
  evidence.exchangeable = true;
  known().add(evidence, "original", "", "original", {0});
  known().add(evidence, "unlearned", "method", "retrained", {0});
  known().add(evidence, "shadow", "", "shadow", {0, 1, 2, 3});
  if (!chosen) return audit(evidence, {.metrics = {"holdout_gap"}}).verdicts.at(0);
  std::vector<std::size_t> kept;
  const auto right =
      metrics::row_signals(Context(), evidence, evidence.groups[2].models[0], "forget")[1];
  for (std::size_t row = 0; row < right.values.size(); ++row) {
    if (right.values[row] > 0) kept.push_back(row);
  }
  std::vector<std::int64_t> labels;
  for (const std::size_t row : kept) labels.push_back(evidence.labels["forget"][row]);
  for (Group& group : evidence.groups) {
    for (Model& model : group.models) {
      const std::vector<double> all = model.outputs["forget"].doubles();
      std::vector<double> some;
      for (const std::size_t row : kept) {
        some.insert(some.end(), all.begin() + static_cast<std::ptrdiff_t>(row * 10),
                    all.begin() + static_cast<std::ptrdiff_t>(row * 10 + 10));
      }
      model.outputs["forget"] = Array::from_doubles(std::move(some), {kept.size(), 10});
    }
  }
  evidence.labels["forget"] = std::move(labels);
  return audit(evidence, {.metrics = {"holdout_gap"}}).verdicts.at(0);
}

// Shadow models saw none of the forget rows. These were drawn at random; easy ones among them are
// not, and no word about the model alone is worth anything then.
TEST(VerdictRatesAlone, ShadowModelsSayWhetherForgetRowsAreARandomDraw) {
  EXPECT_NE(words::limits(beside_shadows(false)).find("with a random draw"), std::string::npos)
      << words::limits(beside_shadows(false));
  EXPECT_NE(words::limits(beside_shadows(true)).find("a random draw"), std::string::npos)
      << words::limits(beside_shadows(true));
}

}  // namespace
}  // namespace vestige::audit
