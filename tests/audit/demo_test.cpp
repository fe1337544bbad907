// The evidence that ships with the project: its F values, pinned.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/metrics/epsilon/epsilon_oracle.h"
#include "tests/support.h"
#include "vestige/audit/audit.h"
#include "vestige/evidence/reader.h"
#include "vestige/metrics/inputs/confidence.h"

namespace vestige::audit {
namespace {

const evidence::Reading& demo() {
  static const evidence::Reading reading = evidence::load(VESTIGE_SOURCE_DIR "/demo/fashion-pool");
  return reading;
}

metrics::Models models(const char* role, const char* method = "") {
  metrics::Models found;
  for (const evidence::Model& model : demo().evidence.find(role, method)->models) {
    found.push_back(&model);
  }
  return found;
}

/// F by the plain all-pairs search, the competition's bins and nothing of the fast code.
double plain_forget_score(const metrics::Models& candidate, const metrics::Models& retrained) {
  const std::vector<std::int64_t>& labels = *demo().evidence.find_labels("forget");
  const std::size_t count = std::min(candidate.size(), retrained.size());
  const double last = std::ceil(std::log(static_cast<double>(count) - 1));
  double sum = 0;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const auto confidences = [&](const metrics::Models& from) {
      std::vector<double> values;
      for (const evidence::Model* model : from) {
        std::vector<double> logits(10);
        model->outputs.at("forget").read_row(row, logits);
        const auto label = static_cast<std::size_t>(labels[row]);
        double others = 0;
        for (std::size_t c = 0; c < 10; ++c) {
          if (c != label) others += std::exp(logits[c]);
        }
        values.push_back(logits[label] - std::log(others));
      }
      return values;
    };
    const double epsilon =
        metrics::oracle::epsilon(confidences(candidate), confidences(retrained)).epsilon;
    sum += epsilon >= last ? 0 : std::exp2(-std::floor(epsilon / 0.5));
  }
  return sum / static_cast<double>(labels.size());
}

std::map<std::string, double> scores(bool halves) {
  std::map<std::string, double> found;
  for (const metrics::Row& row : audit(demo().evidence, {.metrics = {"epsilon"}}).rows) {
    if (row.metric == "epsilon.f_score" && row.settings["halves"] == halves &&
        !row.settings.contains("setup")) {
      found[row.subject.id()] = row.value;
    }
  }
  return found;
}

// Origin of the values: this program, after the plain search above agreed on them.
TEST(Demo, ForgettingQualityOfAllModels) {
  const std::map<std::string, double> expected = {{"unlearned/finetune", 0.063203125},
                                                  {"unlearned/gradient_ascent", 0.061015625},
                                                  {"unlearned/neggrad_plus", 0.0643359375},
                                                  {"unlearned/random_label", 0.01734375},
                                                  {"unlearned/reinit_repair", 0.0173046875},
                                                  {"unlearned/ssd", 0.062578125},
                                                  {"original", 0.062578125},
                                                  {"constant_predictor", 0}};
  const auto actual = scores(false);
  ASSERT_EQ(actual.size(), expected.size());
  // Sums of powers of two over 200 rows: exact up to the last division.
  for (const auto& [model, value] : expected) EXPECT_NEAR(actual.at(model), value, 1e-15) << model;
}

TEST(Demo, ForgettingQualityOfHalves) {
  const auto actual = scores(true);
  EXPECT_NEAR(actual.at("retrained"), 0.10984375, 1e-15);
  EXPECT_NEAR(actual.at("original"), 0.090625, 1e-15);
  EXPECT_NEAR(actual.at("unlearned/random_label"), 0.03375, 1e-15);
}

TEST(Demo, ThePlainSearchAgrees) {
  EXPECT_NEAR(plain_forget_score(models("original"), models("retrained")), 0.062578125, 1e-15);
  EXPECT_NEAR(plain_forget_score(models("unlearned", "random_label"), models("retrained")),
              0.01734375, 1e-15);
  const metrics::Models retrained = models("retrained");
  EXPECT_NEAR(plain_forget_score({retrained.begin(), retrained.begin() + 20},
                                 {retrained.begin() + 20, retrained.end()}),
              0.10984375, 1e-15);
}

TEST(Demo, HasNoFindingsButModelsThatDidNotChange) {
  // SSD found no weight to dampen in three of its 40 models: they say what the originals say.
  ASSERT_EQ(demo().findings.size(), 1U);
  EXPECT_EQ(demo().findings[0].code, "W-SAME");
  using Texts = std::vector<std::string>;
  EXPECT_EQ(demo().findings[0].reason,
            result::reason(result::Code::same_values, "original/pool/forget.npy (model 31)",
                           Texts{}, result::Reason(result::Code::unlearned_is_original),
                           Texts{"unlearned/ssd/pool/35", "unlearned/ssd/pool/38"}));
  const auto one = evidence::load(VESTIGE_SOURCE_DIR "/demo/fashion-one");
  EXPECT_EQ(evidence::count(one.findings, evidence::Severity::warning), 0U);
}

}  // namespace
}  // namespace vestige::audit
