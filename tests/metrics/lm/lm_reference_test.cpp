// Language-model metrics and verdicts against values that other programs and papers give: trained
// GPTs, the IAM paper's published losses and TOFU's (tests/reference/language/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include "tests/support.h"
#include "vestige/audit/audit.h"
#include "vestige/evidence/formats/npz.h"
#include "vestige/evidence/reader.h"
#include "vestige/metrics/lm/lm_attacks.h"
#include "vestige/metrics/lm/lm_family.h"
#include "vestige/words/verdicts.h"

namespace vestige::metrics {
namespace {

const std::string kLanguage = std::string(VESTIGE_SOURCE_DIR) + "/tests/reference/language/";

Json values_of(const char* file) {
  std::ifstream stream(kLanguage + file);
  return Json::parse(stream);
}

audit::AuditResult audit_of(const char* file, Json options = Json::object()) {
  const evidence::Reading reading = evidence::load(kLanguage + file, false);
  return audit::audit(reading.evidence, {{"lm"}, 1, std::move(options)});
}

const Row* row_of(const audit::AuditResult& result, const std::string& metric,
                  const std::string& model, const Json& settings = Json::object()) {
  for (const Row& row : result.rows) {
    if (row.metric != metric || row.subject.id() != model) continue;
    bool fits = true;
    for (const auto& [key, value] : settings.items()) {
      fits = fits && row.settings.contains(key) && row.settings[key] == value;
    }
    if (fits) return &row;
  }
  ADD_FAILURE() << metric << " of " << model << " is not there";
  return nullptr;
}

double number(const audit::AuditResult& result, const std::string& metric, const std::string& model,
              const Json& settings = Json::object()) {
  const Row* row = row_of(result, metric, model, settings);
  return row == nullptr ? kUndefined : row->value;
}

const audit::AuditResult& gpt() {
  static const audit::AuditResult result = audit_of("gpt_articles.npz", {{"lm.k", 40}});
  return result;
}

TEST(lm_reference, gpt_articles_model_by_model) {
  const Json values = values_of("gpt_articles.json");
  for (const auto& [model, expected] : values.items()) {
    for (const char* split : {"forget", "retain", "test"}) {
      const double perplexity = expected.at(std::string("perplexity.") + split);
      // Stored as float16: three digits of every log-probability.
      EXPECT_NEAR(number(gpt(), std::string("lm.perplexity.") + split, model), perplexity,
                  1e-3 * perplexity)
          << model;
    }
    const auto same = [&model = model, &expected = expected](const char* key, const char* metric) {
      EXPECT_NEAR(number(gpt(), metric, model), expected.at(key).get<double>(), 1e-6)
          << model << " " << key;
    };
    same("loss.auc.retain_forget", "lm.loss.auc");
    same("loss.auc.forget_test", "lm.loss.auc.forget_test");
    same("min_k40.auc.forget_test", "lm.min_k.auc.forget_test");
    same("reference_difference.auc.forget_test", "lm.reference.auc.forget_test");
    if (expected.contains("exact_memorization")) {
      same("exact_memorization", "lm.exact_memorization.forget");
      same("extraction_strength", "lm.extraction_strength.forget");
    }
    // values.json compares with retrained/0; so do models of that name, and retrained/1 and 2.
    if (model == "retrained/0" || model == "original/1") continue;
    same("ks.loss.statistic", "lm.ks.loss");
    const double p = expected.at("ks.loss.p");
    EXPECT_NEAR(number(gpt(), "lm.ks.loss.p", model), p, 1e-9 * p) << model;
    EXPECT_NEAR(number(gpt(), "lm.ks.loss.log10_p", model), std::log10(p), 1e-9) << model;
    EXPECT_NEAR(number(gpt(), "lm.privleak", model), expected.at("privleak").get<double>(), 1e-4)
        << model;
  }
}

// Forget against unseen sequences of each model alone: mean difference of the sequences' mean
// log-probabilities over its standard error. Plain numpy gives these to one digit; the interval's
// half width is t standard errors, with t from 1.96 to 1.98 for 100 and 150 sequences.
TEST(lm_reference, holdout_gap_of_gpt_articles) {
  const std::map<std::string, double> expected = {{"unlearned/finetune/0", 7.2},
                                                  {"unlearned/npo/0", 6.4},
                                                  {"unlearned/grad_diff/0", 2.7},
                                                  {"unlearned/refusal/0", 10.6},
                                                  {"unlearned/gradient_ascent/0", 2.0},
                                                  {"partial/75/0", 3.9},
                                                  {"partial/50/0", 5.9},
                                                  {"partial/25/0", 9.4}};
  const evidence::Reading reading = evidence::load(kLanguage + "gpt_articles.npz", false);
  const audit::AuditResult result =
      audit::audit(reading.evidence, {{"holdout_gap"}, 1, Json::object()});
  for (const auto& [model, z] : expected) {
    const Row* row = row_of(result, "holdout_gap.likelihood", model);
    ASSERT_NE(row, nullptr);
    const double found = row->value / ((row->upper - row->lower) / 2 / 1.97);
    EXPECT_NEAR(found, z, 0.05 + 0.01 * z) << model;
  }
}

TEST(lm_reference, uniform_model_is_the_constant_predictor) {
  EXPECT_NEAR(number(gpt(), "lm.perplexity.test", "constant_predictor/0"), 4096, 1e-6);
  EXPECT_EQ(number(gpt(), "lm.loss.auc.forget_test", "constant_predictor/0"), 0.5);
}

/// The published losses have nine digits; tables of the paper four or three.
TEST(lm_reference, iam_paper_tables_6_and_7) {
  const audit::AuditResult result = audit_of("llama2_news.npz");
  EXPECT_NEAR(number(result, "lm.loss.auc", "retrained/0"), 0.87465, 5e-5);
  EXPECT_NEAR(number(result, "lm.iam.auc", "retrained/0"), 0.93566, 5e-5);
  // With batches as in the authors' program, though in another random order, it prints 0.9355.
  EXPECT_NEAR(number(audit_of("llama2_news.npz", {{"lm.batch", 64}}), "lm.iam.auc", "retrained/0"),
              0.9355, 5e-4);
  EXPECT_NEAR(number(result, "lm.ratio.auc", "retrained/0"), 0.9124, 5e-4);
  EXPECT_NEAR(number(result, "lm.lira.auc", "retrained/0"), 0.9299, 5e-5);
  // Table 7 prints 0.84 and 0.33; the program behind it differs in the third digit.
  EXPECT_NEAR(number(result, "lm.iam.mean.retain", "retrained/0"), 0.84, 0.01);
  EXPECT_NEAR(number(result, "lm.iam.mean.forget", "retrained/0"), 0.33, 0.015);
  const Json all = {{"over", "checkpoint"}, {"rows", "all"}};
  EXPECT_NEAR(number(result, "lm.loss.spearman", "checkpoint", all), 0.3842, 5e-5);
  EXPECT_NEAR(number(result, "lm.ratio.spearman", "checkpoint", all), 0.4579, 5e-5);
  EXPECT_NEAR(number(result, "lm.iam.spearman", "checkpoint", all), 0.4612, 5e-5);
  // Behind a prefix the weights are the original's, and IAM says so.
  EXPECT_GT(number(result, "lm.iam.mean.forget", "unlearned/refusal/0"), 0.9);
}

/// Losses of one model on the 7,753 sequences in the order of the authors' program.
std::vector<double> in_order(const evidence::Npz& losses, const std::string& model,
                             const std::vector<std::int64_t>& retained) {
  const std::vector<double> forget = losses.load(model + "/losses/forget").doubles();
  const std::vector<double> retain = losses.load(model + "/losses/retain").doubles();
  std::vector<double> result;
  std::size_t next[2] = {0, 0};
  for (const std::int64_t kept : retained) {
    result.push_back(kept == 1 ? retain.at(next[1]++) : forget.at(next[0]++));
  }
  return result;
}

// What the authors' program printed for every sequence: IAM with the deviations of every 64
// sequences of its shuffled list, on three models, and LiRA on the retrained one.
TEST(lm_reference, iam_authors_scores_sequence_by_sequence) {
  const evidence::Npz losses(kLanguage + "llama2_news.npz");
  const evidence::Npz printed(kLanguage + "llama2_scores.npz");
  const std::vector<std::int64_t> retained = printed.load("retained").integers();
  const std::vector<double> iam = printed.load("iam").doubles();
  const std::vector<double> original = in_order(losses, "original/0", retained);
  const std::vector<double> shadow = in_order(losses, "shadow/0", retained);
  const std::size_t count = retained.size();
  Matrix responses(1, count), shadows(1, count);
  std::ranges::copy(lm_iam_responses(shadow), responses.row(0).begin());
  std::ranges::copy(shadow, shadows.row(0).begin());
  const ShadowMoments moments = shadow_moments(responses);
  const std::vector<double> in = lm_iam_responses(original);
  const std::string models[] = {"retrained/0", "unlearned/refusal/0", "unlearned/negative/0"};
  for (std::size_t model = 0; model < 3; ++model) {
    const std::vector<double> target = in_order(losses, models[model], retained);
    const std::vector<double> whole = lm_iam(lm_iam_responses(target), moments, in);
    const std::vector<double> found = lm_iam(lm_iam_responses(target), moments, in, {.batch = 64});
    double worst = 0, apart = 0;
    for (std::size_t row = 0; row < count; ++row) {
      worst = std::max(worst, std::abs(found[row] - iam[model * count + row]));
      apart = std::max(apart, std::abs(whole[row] - iam[model * count + row]));
    }
    // A thousand levels are summed in another order, with another exponential function.
    EXPECT_LT(worst, 1e-12) << models[model];
    EXPECT_GT(apart, 0.05) << "deviations over all sequences are another score";
  }
  // The published LiRA divides by a deviation of 1e-30: ours is the same up to one factor.
  const std::vector<double> lira = printed.load("lira").doubles();
  const std::vector<double> ours =
      lm_lira(in_order(losses, "retrained/0", retained), shadows, original);
  const double factor = lira[0] / ours[0];
  for (std::size_t row = 0; row < count; ++row) {
    EXPECT_NEAR(ours[row] * factor, lira[row], 1e-8 * std::abs(lira[row]) + 1e-8 * factor) << row;
  }
}

TEST(lm_reference, the_fitted_model_may_be_a_checkpoint) {
  const audit::AuditResult result = audit_of("llama2_news.npz", {{"lm.fitted", "original.100"}});
  const Json all = {{"over", "checkpoint"}, {"rows", "all"}};
  const Row* iam = row_of(result, "lm.iam.spearman", "checkpoint", all);
  ASSERT_NE(iam, nullptr);
  EXPECT_NEAR(iam->value, 0.5113, 5e-5);
  EXPECT_EQ(iam->facts["fitted"], Json::array({"checkpoint/original.100/0"}));
  EXPECT_NEAR(number(result, "lm.lira.spearman", "checkpoint", all), 0.4253, 5e-5);
  EXPECT_TRUE(testing::holds(testing::error_of([] {
                               audit_of("llama2_news.npz", {{"lm.fitted", "original.101"}});
                             }),
                             {"lm.fitted is original.101", "checkpoint"}));
}

TEST(lm_reference, tofu_truth_ratio_forget_quality_and_utility) {
  const Json values = values_of("tofu.json");
  for (const std::string family : {"llama2", "phi"}) {
    const audit::AuditResult result = audit_of(("tofu_" + family + ".npz").c_str());
    for (const std::string model : {"original/0", "original/1", "retrained/0", "retrained/1"}) {
      const Json& expected = values.at(family + "/" + model);
      const Json& forget = expected.at("forget");
      EXPECT_NEAR(number(result, "lm.probability.forget", model), forget.at("probability"), 1e-6);
      EXPECT_NEAR(number(result, "lm.truth_ratio.forget", model), forget.at("truth_ratio"), 1e-6);
      for (const std::string split : {"retain", "real_authors", "world_facts"}) {
        const Json& kept = expected.at(split);
        const Json of = {{"split", split}};
        EXPECT_NEAR(number(result, "lm.utility.probability", model, of), kept.at("probability"),
                    1e-6);
        EXPECT_NEAR(number(result, "lm.utility.rouge_l", model, of), kept.at("rouge_l_recall"),
                    1e-6);
        EXPECT_NEAR(number(result, "lm.utility.truth_ratio", model, of), kept.at("truth_ratio"),
                    1e-6);
      }
      EXPECT_NEAR(number(result, "lm.utility", model), expected.at("model_utility"), 1e-6);
      // Compared with retrained/0, as original/0 and retrained/1 are here.
      if (model != "original/0" && model != "retrained/1") continue;
      EXPECT_NEAR(number(result, "lm.ks.truth_ratio", model), expected.at("ks_statistic"), 1e-9);
      const double p = expected.at("forget_quality_p");
      EXPECT_NEAR(number(result, "lm.ks.truth_ratio.p", model), p, 1e-6 * p);
    }
  }
}

const audit::Verdict& verdict_of(const audit::AuditResult& result, std::string_view method) {
  const auto found =
      std::find_if(result.verdicts.begin(), result.verdicts.end(),
                   [&](const audit::Verdict& verdict) { return verdict.method == method; });
  EXPECT_NE(found, result.verdicts.end()) << method;
  return *found;
}

TEST(lm_reference, verdicts_on_language_models) {
  // retrained/2 as if it were a method: what a method that worked would look like.
  evidence::Evidence evidence = evidence::load(kLanguage + "gpt_articles.npz", false).evidence;
  for (evidence::Group& group : evidence.groups) {
    if (group.role != "retrained") continue;
    evidence::Model model = std::move(group.models.back());
    group.models.pop_back();
    model.role = "unlearned";
    model.method = "like_retraining";
    model.name = "0";
    evidence.groups.push_back({"unlearned", "like_retraining", {std::move(model)}});
    break;
  }
  const audit::AuditResult result = audit::audit(evidence, {{"lm"}, 1, Json::object()});
  using audit::Outcome;
  for (const char* method : {"finetune", "npo", "refusal"}) {
    const audit::Verdict& verdict = verdict_of(result, method);
    EXPECT_EQ(verdict.under, Outcome::shown) << method;
    EXPECT_NE(verdict.over, Outcome::shown) << method;
    EXPECT_EQ(verdict.equivalent, Outcome::excluded) << method;
  }
  const audit::Verdict& ascent = verdict_of(result, "gradient_ascent");
  EXPECT_EQ(ascent.word, audit::Word::collapsed);
  EXPECT_EQ(ascent.over, Outcome::not_tested);
  EXPECT_EQ(ascent.under, Outcome::not_tested);
  EXPECT_EQ(ascent.utility_loss, Outcome::shown);
  const audit::Verdict& like = verdict_of(result, "like_retraining");
  EXPECT_EQ(like.equivalent, Outcome::shown) << words::why(like);
  EXPECT_NE(like.under, Outcome::shown);
  EXPECT_NE(like.over, Outcome::shown);
  EXPECT_EQ(like.utility_loss, Outcome::excluded);
}

}  // namespace
}  // namespace vestige::metrics
