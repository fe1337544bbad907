// Language models end to end: character trigram models that this test fits itself, so that what
// they were trained on is known, written as evidence, read back and audited.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "tests/support.h"
#include "tests/support/character_model.h"
#include "vestige/audit/audit.h"
#include "vestige/base/context.h"
#include "vestige/evidence/reader.h"
#include "vestige/metrics/lm/lm_family.h"
#include "vestige/metrics/lm/lm_scores.h"
#include "vestige/metrics/stats/roc.h"
#include "vestige/words/words.h"

namespace vestige::metrics {
namespace {

using evidence::Model;
using testing::CharacterModel;
using testing::EvidenceFolder;

struct Texts {
  std::vector<std::string> forget = testing::sentences(60, "forget");
  std::vector<std::string> retain = testing::sentences(120, "retain");
  std::vector<std::string> test = testing::sentences(80, "test");
};

CharacterModel trained(const std::vector<std::string>& retain,
                       const std::vector<std::string>& forget, double forget_weight) {
  CharacterModel model;
  for (const std::string& text : retain) model.train(text);
  if (forget_weight > 0) {
    for (const std::string& text : forget) model.train(text, forget_weight);
  }
  return model;
}

void put_model(EvidenceFolder& folder, const std::string& id, const CharacterModel& model,
               const Texts& texts) {
  testing::put_tokens(folder, id, "forget", model, texts.forget);
  testing::put_tokens(folder, id, "retain", model, texts.retain);
  testing::put_tokens(folder, id, "test", model, texts.test);
}

void put_texts(EvidenceFolder& folder, const Texts& texts) {
  const auto lines = [](const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& line : all) text += line + "\n";
    return text;
  };
  folder.put_file("text/forget.txt", lines(texts.forget));
  folder.put_file("text/retain.txt", lines(texts.retain));
}

/// Original, retrained, half forgotten, graded, one shadow: all splits, no labels, no outputs.
const EvidenceFolder& sound_evidence() {
  static const EvidenceFolder& folder = *[] {
    auto* made = new EvidenceFolder;
    const Texts texts;
    put_model(*made, "original/0", trained(texts.retain, texts.forget, 1), texts);
    put_model(*made, "retrained/0", trained(texts.retain, {}, 0), texts);
    put_model(*made, "retrained/1", trained(texts.retain, testing::sentences(10, "more"), 1),
              texts);
    put_model(*made, "unlearned/half/0", trained(texts.retain, texts.forget, 0.5), texts);
    put_model(*made, "unlearned/nothing/0", trained(texts.retain, texts.forget, 1), texts);
    put_model(*made, "unlearned/refusal/0", trained(texts.retain, texts.forget, 1), texts);
    testing::put_tokens(*made, "unlearned/refusal/0", "forget",
                        trained(texts.retain, texts.forget, 1), texts.forget,
                        "You know nothing about this: ");
    for (const std::size_t removed : {25U, 50U, 75U}) {
      const std::vector<std::string> kept(
          texts.forget.begin() + static_cast<std::ptrdiff_t>(60 * removed / 100),
          texts.forget.end());
      put_model(*made, "partial/" + std::to_string(removed) + "/0", trained(texts.retain, kept, 1),
                texts);
    }
    const CharacterModel shadow = trained(testing::sentences(150, "shadow"), {}, 0);
    put_model(*made, "shadow/0", shadow, texts);
    testing::put_tokens(*made, "shadow/0", "shadow_train", shadow,
                        testing::sentences(150, "shadow"));
    put_texts(*made, texts);
    return made;
  }();
  return folder;
}

audit::AuditResult run(const EvidenceFolder& folder, Json options = Json::object(),
                       const Context& context = {}) {
  const evidence::Reading reading = evidence::load(folder.path(), false, context);
  return audit::audit(reading.evidence, {{"lm"}, 1, std::move(options), context});
}

const Row* find(const audit::AuditResult& result, const std::string& metric,
                const std::string& model) {
  for (const Row& row : result.rows) {
    if (row.metric == metric && row.subject.id() == model) return &row;
  }
  return nullptr;
}

double value(const audit::AuditResult& result, const std::string& metric,
             const std::string& model) {
  const Row* row = find(result, metric, model);
  EXPECT_NE(row, nullptr) << metric << " " << model;
  return row == nullptr ? kUndefined : row->value;
}

const std::vector<std::string> kScores = {
    "loss", "lower", "zlib", "ratio", "min_k", "min_k_plus_plus", "surp", "lira", "rmia", "iam"};

/// Measured once; the tests look at it from different sides.
const audit::AuditResult& sound() {
  static const audit::AuditResult result = run(sound_evidence(), {{"lm.surp_k", 20}});
  return result;
}

TEST(lm_audit, models_are_trained_on_what_the_test_says) {
  // The loss alone tells retain (seen by every model) from test (seen by none), and the original
  // knows forget as well as retain, retrained as little as test.
  const evidence::Reading reading = evidence::load(sound_evidence().path(), false);
  const auto losses = [&](const char* role, const char* split) {
    const Model& model = reading.evidence.find(role)->models.front();
    return lm_loss_scores(
        lm_losses(evidence::read_tokens(reading.evidence, model, split).sequences()));
  };
  EXPECT_GT(auc_of_samples(losses("original", "retain"), losses("original", "test")), 0.95);
  EXPECT_GT(auc_of_samples(losses("original", "forget"), losses("original", "test")), 0.95);
  EXPECT_GT(auc_of_samples(losses("retrained", "retain"), losses("retrained", "test")), 0.95);
  // 0.5 within three standard errors (0.049 for 60 + 80 rows).
  EXPECT_NEAR(auc_of_samples(losses("retrained", "forget"), losses("retrained", "test")), 0.5,
              3 * 0.049);
}

TEST(lm_audit, every_score_orders_original_half_and_retrained) {
  for (const std::string& score : kScores) {
    const std::string id = "lm." + score + ".auc";
    const double original = value(sound(), id, "original/0");
    const double half = value(sound(), id, "unlearned/half/0");
    const double retrained = value(sound(), id, "retrained/0");
    // Nothing was forgotten: chance within three standard errors (0.048 for 60 + 120 rows).
    EXPECT_NEAR(original, 0.5, 3 * 0.048) << id;
    EXPECT_GT(half, original + 0.1) << id;
    EXPECT_GT(retrained, half) << id;
    EXPECT_GT(retrained, 0.9) << id;
    // A method that does nothing is the original, and retrained has a second retrained near it.
    EXPECT_EQ(value(sound(), id, "unlearned/nothing/0"), original) << id;
    EXPECT_NEAR(value(sound(), id, "retrained/1"), retrained, 0.05) << id;
    const Row* row = find(sound(), id, "unlearned/half/0");
    EXPECT_EQ(row->status, Status::ok) << id << words::text(row->notes);
    EXPECT_EQ(row->reference, retrained) << id;
    EXPECT_LE(row->lower, row->value);
    EXPECT_GE(row->upper, row->value);
  }
}

TEST(lm_audit, graded_models_give_spearman) {
  for (const std::string& score : kScores) {
    const Row* row = find(sound(), "lm." + score + ".spearman", "partial");
    ASSERT_NE(row, nullptr) << score;
    // 60 forget rows of original, two retrained and three graded models. Removing a share of the
    // rows leaves the others fully known, so that even a perfect score does not reach 1.
    EXPECT_GT(row->value, 0.3) << score;
    EXPECT_LT(row->value, 1) << score;
    // SURP leaves sequences without a surprising token out.
    if (score == "surp") {
      EXPECT_LT(row->n, 360u);
    } else {
      EXPECT_EQ(row->n, 360u);
    }
  }
  EXPECT_GT(value(sound(), "lm.iam.spearman", "partial"), 0.6);
}

TEST(lm_audit, iam_means_and_a_prompt_that_only_hides) {
  EXPECT_GT(value(sound(), "lm.iam.mean.forget", "original/0"), 0.9);
  EXPECT_LT(value(sound(), "lm.iam.mean.forget", "retrained/0"), 0.3);
  EXPECT_GT(value(sound(), "lm.iam.mean.retain", "retrained/0"), 0.9);
  // The original behind a prefix (paper, 5.7): its parameters did not change, and IAM sees it.
  EXPECT_GT(value(sound(), "lm.iam.mean.forget", "unlearned/refusal/0"), 0.9);
  const Row* nothing = find(sound(), "lm.iam.mean.forget", "unlearned/nothing/0");
  EXPECT_EQ(nothing->notes.at(0).code, Code::not_below_retain);
  EXPECT_TRUE(find(sound(), "lm.iam.mean.forget", "unlearned/half/0")->notes.empty());
  // LiRA has no scale of its own: 0 and 1 are its smallest and largest score.
  EXPECT_EQ(find(sound(), "lm.lira.mean.forget", "retrained/0")->facts["scaled"], true);
  EXPECT_LT(value(sound(), "lm.lira.mean.forget", "retrained/0"),
            value(sound(), "lm.lira.mean.retain", "retrained/0"));
}

// The population of RMIA is the split of that name, else test: the same texts under both names give
// the same scores, other texts others, and a model without them has no RMIA.
TEST(lm_audit, rmia_takes_its_population_from_a_split_of_that_name) {
  const Texts texts;
  const auto rmia = [&](const std::vector<std::string>* population, bool everywhere = true) {
    EvidenceFolder folder;
    const std::map<std::string, CharacterModel> models = {
        {"original/0", trained(texts.retain, texts.forget, 1)},
        {"unlearned/half/0", trained(texts.retain, texts.forget, 0.5)},
        {"shadow/0", trained(testing::sentences(150, "shadow"), {}, 0)}};
    for (const auto& [id, model] : models) {
      put_model(folder, id, model, texts);
      if (population == nullptr || (id == "shadow/0" && !everywhere)) continue;
      testing::put_tokens(folder, id, "population", model, *population);
    }
    const audit::AuditResult result = run(folder);
    const Row* row = find(result, "lm.rmia.auc", "unlearned/half/0");
    EXPECT_NE(row, nullptr);
    return row == nullptr ? Row() : *row;
  };
  const std::vector<std::string> others = testing::sentences(30, "traps");
  const Row by_test = rmia(nullptr), same = rmia(&texts.test), other = rmia(&others);
  EXPECT_EQ(same.value, by_test.value);
  EXPECT_EQ(same.facts["population_split"], "population");
  EXPECT_FALSE(by_test.facts.contains("population_split"));
  EXPECT_EQ(other.facts["population"], 30);
  EXPECT_EQ(other.facts["gamma"], 1);
  EXPECT_EQ(rmia(&others, false).status, Status::skipped);
}

TEST(lm_audit, bag_of_words_sees_texts_only) {
  // Forget and retain come from one generator: chance.
  const Row* row = find(sound(), "lm.bag_of_words.auc", "text");
  ASSERT_NE(row, nullptr);
  EXPECT_NEAR(row->value, 0.5, 3 * 0.048);
  EXPECT_TRUE(row->notes.empty()) << words::text(row->notes);
  EXPECT_EQ(row->control, Control::none);
}

TEST(lm_audit, params_and_columns) {
  const Row* iam = find(sound(), "lm.iam.auc", "unlearned/half/0");
  EXPECT_EQ(iam->facts["direction"], "code");
  EXPECT_EQ(iam->facts["levels"], 1000);
  EXPECT_EQ(iam->settings["mode"], "online");
  // The test exports mean = -entropy, which is the weighting by p.
  EXPECT_EQ(find(sound(), "lm.min_k_plus_plus.auc", "unlearned/half/0")->facts["moments"],
            "weighted");
  bool found = false;
  for (const SampleColumn& column : sound().columns) {
    EXPECT_EQ(column.split, "forget");
    EXPECT_EQ(column.values.size(), 60u);
    if (column.name == "lm.iam.half") {
      found = true;
      EXPECT_EQ(column.worst, 1);
    }
  }
  EXPECT_TRUE(found);
}

TEST(lm_audit, options_and_threads) {
  const audit::AuditResult one = run(sound_evidence(), Json::object(), Context({.threads = 1}));
  const audit::AuditResult two = run(sound_evidence(), Json::object(), Context({.threads = 2}));
  ASSERT_EQ(one.rows.size(), two.rows.size());
  for (std::size_t row = 0; row < one.rows.size(); ++row) {
    if (std::isnan(one.rows[row].value)) continue;
    EXPECT_EQ(one.rows[row].value, two.rows[row].value) << one.rows[row].metric;
  }
  const audit::AuditResult other =
      run(sound_evidence(), {{"lm.direction", "paper"}, {"lm.levels", 50}, {"lm.k", 40}});
  EXPECT_EQ(find(other, "lm.iam.auc", "retrained/0")->facts["direction"], "paper");
  EXPECT_GT(value(other, "lm.iam.auc", "retrained/0"), 0.9);
  EXPECT_NE(value(other, "lm.min_k.auc", "unlearned/half/0"),
            value(sound(), "lm.min_k.auc", "unlearned/half/0"));
  EXPECT_TRUE(testing::holds(testing::error_of([] {
                               run(sound_evidence(), {{"lm.k", 0}});
                             }),
                             {"lm.k is 0"}));
  EXPECT_TRUE(testing::holds(testing::error_of([] {
                               run(sound_evidence(), {{"lm.levels", 1}});
                             }),
                             {"lm.levels is 1"}));
}

/// The smallest evidence: tokens and offsets of an unlearned model.
EvidenceFolder& small_evidence(EvidenceFolder& folder, std::size_t rows) {
  Texts texts;
  texts.forget.resize(rows);
  const CharacterModel model = trained(texts.retain, {}, 0);
  testing::put_tokens(folder, "unlearned/half/0", "forget", model, texts.forget);
  testing::put_tokens(folder, "unlearned/half/0", "retain", model, texts.retain);
  for (const char* split : {"forget", "retain"}) {
    for (const char* suffix : {".mean", ".std", ".entropy", ".lower"}) {
      folder.remove(std::string("unlearned/half/0/tokens/") + split + suffix);
    }
  }
  return folder;
}

TEST(lm_audit, missing_parts_are_named) {
  EvidenceFolder folder;
  small_evidence(folder, 10);
  const evidence::Reading reading = evidence::load(folder.path(), false);
  const Support support = lm_family().support(reading.evidence);
  EXPECT_TRUE(support.supported);
  std::set<std::string> files;
  for (const Reason& caution : std::get<Reasons>(argument(support.reason, "reasons"))) {
    EXPECT_EQ(caution.code, Code::scores_need_files);
    files.insert(std::get<std::string>(argument(caution, "files")));
  }
  const std::set<std::string> expected = {
      "ROLE/0/tokens/{forget,retain}.entropy.npy",    "ROLE/0/tokens/{forget,retain}.lower.npy",
      "ROLE/0/tokens/{forget,retain}.{mean,std}.npy", "ROLE/0/tokens/test.npy",
      "shadow/0/tokens/{forget,retain,test}.npy",     "text/{forget,retain}.txt"};
  EXPECT_EQ(files, expected);
  const audit::AuditResult result = run(folder);
  EXPECT_GT(value(result, "lm.loss.auc", "unlearned/half/0"), 0.9);
  EXPECT_GT(value(result, "lm.min_k.auc", "unlearned/half/0"), 0.9);
  const std::string tokens = "unlearned/half/0/tokens/{forget,retain}";
  const Reason shadow =
      reason(Code::needs_shadow_models, 1, "shadow/0/{tokens,losses}/{forget,retain}.npy");
  const std::map<std::string, Reason> missing = {
      {"lower", reason(Code::needs_lower_case_tokens, tokens + ".lower.npy")},
      {"zlib", reason(Code::needs_texts, "text/{forget,retain}.txt")},
      {"ratio", shadow},
      {"min_k_plus_plus", reason(Code::needs_token_moments, tokens + ".{mean,std}.npy")},
      {"surp", reason(Code::needs_token_entropy, tokens + ".entropy.npy")},
      {"lira", shadow},
      {"rmia", shadow},
      {"iam", shadow}};
  for (const auto& [score, why] : missing) {
    const Row* row = find(result, "lm." + score + ".auc", "unlearned/half/0");
    ASSERT_NE(row, nullptr) << score;
    EXPECT_EQ(row->status, Status::skipped) << score;
    EXPECT_EQ(row->notes.at(0), why) << score << ": " << words::text(row->notes);
  }
  EXPECT_EQ(find(result, "lm.bag_of_words.auc", "text")->status, Status::skipped);
}

TEST(lm_audit, too_few_sequences) {
  EvidenceFolder folder;
  small_evidence(folder, 3);
  const Row row = run(folder).rows.at(0);
  EXPECT_EQ(row.status, Status::skipped);
  EXPECT_EQ(row.notes.at(0), reason(Code::needs_more_examples, "forget", 3, 4));
}

TEST(lm_audit, classifier_evidence_is_not_supported) {
  EvidenceFolder folder(testing::EvidenceShape{});
  const Support support = lm_family().support(evidence::load(folder.path(), false).evidence);
  EXPECT_FALSE(support.supported);
  EXPECT_EQ(support.reason.code, Code::needs_language_model);
}

TEST(lm_audit, offline_without_the_original) {
  const Texts texts;
  EvidenceFolder folder;
  put_model(folder, "unlearned/half/0", trained(texts.retain, {}, 0), texts);
  const std::vector<std::string> own = testing::sentences(150, "shadow");
  const CharacterModel shadow = trained(own, {}, 0);
  put_model(folder, "shadow/0", shadow, texts);
  const Row* row = nullptr;
  audit::AuditResult result = run(folder);
  row = find(result, "lm.iam.auc", "unlearned/half/0");
  EXPECT_EQ(row->status, Status::skipped);
  EXPECT_EQ(row->notes.at(0),
            reason(Code::needs_fitted_model, "original/0/tokens/{forget,retain}.npy",
                   "shadow/0/tokens/shadow_train.npy"));
  testing::put_tokens(folder, "shadow/0", "shadow_train", shadow, own);
  result = run(folder);
  for (const char* id : {"lm.lira.auc", "lm.rmia.auc", "lm.iam.auc"}) {
    row = find(result, id, "unlearned/half/0");
    EXPECT_EQ(row->settings["mode"], "offline") << id;
    EXPECT_GT(row->value, 0.9) << id;
  }
}

}  // namespace
}  // namespace vestige::metrics
