// Language models end to end: character 5-gram models that this test fits itself, so that what they
// were trained on is known, written as evidence, read back and audited.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/character_model.h"
#include "vestige/audit/audit.h"
#include "vestige/base/parallel.h"
#include "vestige/evidence/reader.h"
#include "vestige/metrics/lm_family.h"
#include "vestige/metrics/lm_scores.h"
#include "vestige/metrics/roc.h"

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
    put_model(*made, "unlearned/half/0", trained(texts.retain, texts.forget, 0.5), texts);
    put_model(*made, "unlearned/nothing/0", trained(texts.retain, texts.forget, 1), texts);
    for (const std::size_t removed : {25, 50, 75}) {
      const std::vector<std::string> kept(
          texts.forget.begin() + static_cast<std::ptrdiff_t>(60 * removed / 100),
          texts.forget.end());
      put_model(*made, "partial/" + std::to_string(removed) + "/0",
                trained(texts.retain, kept, 1), texts);
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

audit::AuditResult run(const EvidenceFolder& folder, Json options = Json::object()) {
  const evidence::Reading reading = evidence::load(folder.path(), false);
  return audit::audit(reading.evidence, {{"lm"}, 1, std::move(options)});
}

const Row* find(const audit::AuditResult& result, const std::string& metric,
                const std::string& model) {
  for (const Row& row : result.rows) {
    if (row.metric == metric && row.model == model) return &row;
  }
  return nullptr;
}

double value(const audit::AuditResult& result, const std::string& metric,
             const std::string& model) {
  const Row* row = find(result, metric, model);
  EXPECT_NE(row, nullptr) << metric << " " << model;
  return row == nullptr ? kUndefined : row->value;
}

TEST(lm_audit, show) {
  const audit::AuditResult result = run(sound_evidence());
  for (const Row& row : result.rows) {
    printf("%-26s %-20s %.4f [%.4f %.4f] n=%zu %s %s %s\n", row.metric.c_str(), row.model.c_str(),
           row.value, row.lower, row.upper, row.n, std::string(name(row.status)).c_str(),
           row.note.c_str(), row.params.dump().c_str());
  }
  for (const auto& remark : result.remarks) printf("remark %s\n", remark.c_str());
}

}  // namespace
}  // namespace vestige::metrics
