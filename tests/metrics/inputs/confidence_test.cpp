// Logit-scaled confidence: hand calculations, the public scorer's cases, streaming from arrays.
#include "vestige/metrics/inputs/confidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "vestige/audit/conformance/conformance.h"
#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

using evidence::Array;
using evidence::OutputKind;

evidence::Model model_with(const Array& outputs) {
  evidence::Model model;
  model.role = "original";
  model.name = "0";
  model.outputs["forget"] = outputs;
  return model;
}

// p = (1/2, 1/4, 1/4): ln(1/2) - ln(1/2) = 0 and ln(1/4) - ln(3/4) = -ln 3.
TEST(Confidence, HandCalculation) {
  const std::vector<double> logits = {std::log(2.0), 0, 0};
  EXPECT_NEAR(logit_confidence(logits, 0), 0, 1e-15);
  EXPECT_NEAR(logit_confidence(logits, 1), -std::log(3.0), 1e-15);
  EXPECT_NEAR(reference_confidence(std::span<const double>(logits), 1).confidence, -std::log(3.0),
              1e-14);
  EXPECT_NEAR(reference_confidence(std::span<const double>(logits), 1).probability, 0.25, 1e-15);
}

// Two classes: the confidence is the difference of the logits, exactly.
TEST(Confidence, TwoClassesGiveTheDifferenceOfLogits) {
  EXPECT_EQ(logit_confidence(std::vector<double>{3.5, 1.25}, 0), 2.25);
  EXPECT_EQ(logit_confidence(std::vector<double>{3.5, 1.25}, 1), -2.25);
}

// The reference saturates at -ln(1e-45) = 103.6 (spec of dm_logit_scaling); exact does not.
TEST(Confidence, OnlyTheReferenceSaturates) {
  const std::vector<double> logits = {1000, 0, 0};
  EXPECT_NEAR(logit_confidence(logits, 0), 1000 - std::log(2.0), 1e-12);
  EXPECT_NEAR(reference_confidence(std::span<const double>(logits), 0).confidence, -std::log(1e-45),
              1e-9);
  const std::vector<double> extreme = {-1e308, 1e308, 0};
  EXPECT_EQ(logit_confidence(extreme, 2), -1e308);
}

TEST(Confidence, ShiftingLogitsChangesNothing) {
  // Multiples of 1/4 stay exact under a shift by 1024, so that the results are equal bit for bit.
  const std::vector<double> logits = {0.25, -1.5, 3, 2.75};
  std::vector<double> shifted = logits;
  for (double& value : shifted) value += 1024;
  for (std::size_t label = 0; label < 4; ++label) {
    EXPECT_NEAR(logit_confidence(shifted, label), logit_confidence(logits, label), 1e-12);
  }
}

TEST(Confidence, AgreesWithThePublicScorerOnItsCases) {
  const auto folder =
      std::filesystem::path(VESTIGE_SOURCE_DIR) / "tests/reference/dm_logit_scaling";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto test_case = audit::read_case(entry.path() / "case.json");
    const evidence::Model model = model_with(test_case.inputs.at("logits"));
    const auto labels = test_case.integers("labels");
    const auto expected = test_case.expected.at("conf").doubles();
    const Matrix reference = confidences(Context(), {&model}, "forget", labels, OutputKind::logits,
                                         ConfidenceNumerics::reference);
    const Matrix exact = confidences(Context(), {&model}, "forget", labels, OutputKind::logits);
    for (std::size_t row = 0; row < labels.size(); ++row) {
      const double allowed = test_case.absolute + test_case.relative * std::abs(expected[row]);
      EXPECT_NEAR(reference(0, row), expected[row], allowed) << test_case.name << " row " << row;
      // No value of the cases is near saturation: float32 exp is all that separates the two forms.
      EXPECT_NEAR(exact(0, row), expected[row], allowed + 1e-12) << test_case.name << " " << row;
    }
  }
}

TEST(Confidence, TheThreeKindsOfOutputsAgree) {
  Stream stream(1, "confidence_test.kinds");
  constexpr std::size_t kRows = 700;  // more than two tasks
  constexpr std::size_t kClasses = 5;
  std::vector<double> logits(kRows * kClasses);
  std::vector<double> logs(logits.size());
  std::vector<double> probabilities(logits.size());
  std::vector<std::int64_t> labels(kRows);
  for (std::size_t row = 0; row < kRows; ++row) {
    labels[row] = static_cast<std::int64_t>(stream.below(kClasses));
    double sum = 0;
    for (std::size_t k = row * kClasses; k < (row + 1) * kClasses; ++k) {
      logits[k] = 3 * stream.normal();
      sum += std::exp(logits[k]);
    }
    for (std::size_t k = row * kClasses; k < (row + 1) * kClasses; ++k) {
      probabilities[k] = std::exp(logits[k]) / sum;
      logs[k] = std::log(probabilities[k]);
    }
  }
  const evidence::Model by_logits = model_with(Array::from_doubles(logits, {kRows, kClasses}));
  const evidence::Model by_logs = model_with(Array::from_doubles(logs, {kRows, kClasses}));
  const evidence::Model by_shares =
      model_with(Array::from_doubles(probabilities, {kRows, kClasses}));
  const Matrix one = confidences(Context(), {&by_logits}, "forget", labels, OutputKind::logits);
  const Matrix two =
      confidences(Context(), {&by_logs}, "forget", labels, OutputKind::log_probabilities);
  const Matrix three =
      confidences(Context(), {&by_shares}, "forget", labels, OutputKind::probabilities);
  for (std::size_t row = 0; row < kRows; ++row) {
    const auto label = static_cast<std::size_t>(labels[row]);
    EXPECT_EQ(one(0, row),
              logit_confidence(std::span(logits).subspan(row * kClasses, kClasses), label));
    EXPECT_NEAR(two(0, row), one(0, row), 1e-12);
    EXPECT_NEAR(three(0, row), one(0, row), 1e-12);
  }
}

// A probability of exactly 0 stands for 1e-45, so that one saturated row is large, not infinite.
TEST(Confidence, SaturatedProbabilitiesStayFinite) {
  const evidence::Model model = model_with(Array::from_doubles({1, 0, 0, 1}, {2, 2}));
  const std::vector<std::int64_t> labels = {0, 0};
  const Matrix values =
      confidences(Context(), {&model}, "forget", labels, OutputKind::probabilities);
  EXPECT_NEAR(values(0, 0), -std::log(1e-45), 1e-9);
  EXPECT_NEAR(values(0, 1), std::log(1e-45), 1e-9);
}

TEST(Confidence, SameBytesForAnyNumberOfThreads) {
  Stream stream(2, "confidence_test.threads");
  std::vector<double> logits(1000 * 10);
  for (double& value : logits) value = stream.normal();
  const evidence::Model model = model_with(Array::from_doubles(logits, {1000, 10}));
  const std::vector<std::int64_t> labels(1000, 3);
  const Matrix one = Context({.threads = 1}).run([&] {
    return confidences(Context(), {&model, &model}, "forget", labels, OutputKind::logits);
  });
  const Matrix four = Context({.threads = 4}).run([&] {
    return confidences(Context(), {&model, &model}, "forget", labels, OutputKind::logits);
  });
  EXPECT_TRUE(std::equal(one.values().begin(), one.values().end(), four.values().begin()));
}

TEST(Confidence, RefusesBadInput) {
  const evidence::Model model = model_with(Array::from_doubles({1, 2, 3, 4}, {2, 2}));
  const auto measure = [&](const char* split, std::vector<std::int64_t> labels) {
    return confidences(Context(), {&model}, split, labels, OutputKind::logits);
  };
  EXPECT_NO_THROW(measure("forget", {0, 1}));
  EXPECT_THROW(measure("retain", {0, 1}), InputError);
  EXPECT_THROW(measure("forget", {0, 1, 1}), InputError);
  EXPECT_THROW(measure("forget", {0, 2}), InputError);
  EXPECT_THROW(measure("forget", {0, -1}), InputError);
  EXPECT_THROW(logit_confidence(std::vector<double>{1}, 0), InputError);
  EXPECT_THROW(logit_confidence(std::vector<double>{1, 2}, 2), InputError);
}

}  // namespace
}  // namespace vestige::metrics
