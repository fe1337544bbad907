// Losses per row and other answers: what is read, and every mistake in one sentence.
#include "vestige/evidence/losses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/support/evidence_folder.h"
#include "vestige/evidence/reader.h"
#include "vestige/evidence/tokens.h"

namespace vestige::evidence {
namespace {

using testing::array_of;
using testing::EvidenceFolder;

const std::string kForget = "original/0/losses/forget";
const std::string kForgetTokens = "original/0/tokens/forget";

/// Two rows of losses; two sequences of three and two tokens with an answer each.
void put_losses(EvidenceFolder& folder) {
  folder.put(kForget, array_of(DType::float32, {1, 2}, {2}));
}
void put_answers(EvidenceFolder& folder) {
  folder.put(kForgetTokens, array_of(DType::float32, {-1, -2, -3, -0.5, 0}, {5}));
  folder.put(kForgetTokens + ".offsets", Array::from_integers({0, 3, 5}, {3}));
  folder.put(kForgetTokens + ".perturbed", array_of(DType::float32, {-1, -3, -4, -6}, {4}));
  folder.put(kForgetTokens + ".perturbed.offsets", Array::from_integers({0, 2, 3, 4}, {4}));
  folder.put(kForgetTokens + ".perturbed.groups", Array::from_integers({1, 0, 1}, {3}));
}

std::string fault(void (*put)(EvidenceFolder&), const std::function<void(EvidenceFolder&)>& spoil) {
  EvidenceFolder folder;
  put(folder);
  spoil(folder);
  return testing::error_of([&] { load(folder.path(), false); });
}

TEST(losses, are_read_without_labels_or_outputs) {
  EvidenceFolder folder;
  put_losses(folder);
  folder.put(kForget + ".perturbed", array_of(DType::float32, {1, 2, 3, 4}, {2, 2}));
  folder.put("original/0/generated/forget.rouge_l", array_of(DType::float32, {0.5, 1}, {2}));
  folder.put_file("evidence.toml", "losses = \"sequence\"\nvocabulary = 100\n");
  const Reading reading = load(folder.path(), false);
  EXPECT_TRUE(reading.findings.empty());
  EXPECT_TRUE(reading.evidence.sequence_losses);
  EXPECT_EQ(reading.evidence.vocabulary, 100u);
  const Model& model = reading.evidence.groups.at(0).models.at(0);
  EXPECT_EQ(read_losses(reading.evidence, model, "forget"), (std::vector<double>{1, 2}));
  EXPECT_EQ(read_answers(reading.evidence, model, "forget", Answers::perturbed),
            (std::vector<std::vector<double>>{{1, 2}, {3, 4}}));
  EXPECT_EQ(model.rouge.at("forget").doubles(), (std::vector<double>{0.5, 1}));
  EXPECT_FALSE(has_answers(model, "forget", Answers::paraphrased));
}

TEST(losses, of_stacked_models) {
  EvidenceFolder folder;
  folder.put("shadow/pool/losses/forget", array_of(DType::float32, {1, 2, 3, 4, 5, 6}, {3, 2}));
  const Reading reading = load(folder.path(), false);
  const auto& models = reading.evidence.groups.at(0).models;
  ASSERT_EQ(models.size(), 3u);
  EXPECT_EQ(read_losses(reading.evidence, models[1], "forget"), (std::vector<double>{3, 4}));
}

TEST(losses, tokens_of_stacked_models_share_offsets) {
  EvidenceFolder folder;
  folder.put("shadow/pool/tokens/forget",
             array_of(DType::float32, {-1, -2, -3, -4, -5, -6}, {2, 3}));
  folder.put("shadow/pool/tokens/forget.offsets", Array::from_integers({0, 1, 3}, {3}));
  const Reading reading = load(folder.path(), false);
  const auto& models = reading.evidence.groups.at(0).models;
  ASSERT_EQ(models.size(), 2u);
  const TokenSplit split = read_tokens(reading.evidence, models[1], "forget");
  EXPECT_EQ(split.log_probabilities, (std::vector<double>{-4, -5, -6}));
  EXPECT_EQ(split.sequences().size(), 2u);
}

TEST(losses, faults) {
  const auto with = [](std::vector<double> values, std::vector<std::size_t> shape) {
    return fault(put_losses, [&](EvidenceFolder& folder) {
      folder.put(kForget, array_of(DType::float32, values, shape));
    });
  };
  EXPECT_TRUE(testing::holds(with({1, std::nan("")}, {2}), {kForget + ".npy", "nan in row 1"}));
  EXPECT_TRUE(testing::holds(with({1, -2}, {2}), {kForget + ".npy", "-2 in row 1", "at least 0"}));
  EXPECT_TRUE(testing::holds(with({1, 2}, {1, 2}), {kForget + ".npy", "[1, 2]", "[examples]"}));
  EXPECT_TRUE(testing::holds(
      fault(put_losses,
            [](EvidenceFolder& folder) {
              folder.put("retrained/0/losses/forget", array_of(DType::float32, {1, 2, 3}, {3}));
            }),
      {"retrained/0/losses/forget.npy", "3 rows"}));
  EXPECT_TRUE(testing::holds(fault(put_losses,
                                   [](EvidenceFolder& folder) {
                                     folder.put_file("evidence.toml", "losses = \"both\"\n");
                                   }),
                             {"evidence.toml line 1", "sequence", "row"}));
}

TEST(losses, answers_belong_to_rows) {
  EvidenceFolder folder;
  put_answers(folder);
  const Reading reading = load(folder.path(), false);
  EXPECT_TRUE(reading.findings.empty());
  const Model& model = reading.evidence.groups.at(0).models.at(0);
  // Answer 0 (mean 2) and 2 (6) belong to row 1, answer 1 (4) to row 0.
  EXPECT_EQ(read_answers(reading.evidence, model, "forget", Answers::perturbed),
            (std::vector<std::vector<double>>{{4}, {2, 6}}));
  const auto with = [](std::vector<std::int64_t> groups) {
    return fault(put_answers, [&](EvidenceFolder& spoilt) {
      const std::size_t size = groups.size();
      spoilt.put(kForgetTokens + ".perturbed.groups", Array::from_integers(groups, {size}));
    });
  };
  EXPECT_TRUE(testing::holds(with({0, 0, 0}), {"row 1 has no perturbed answer"}));
  EXPECT_TRUE(testing::holds(with({0, 1, 2}), {"answer 2 belongs to row 2", "2 rows"}));
  EXPECT_TRUE(testing::holds(with({0, 1}), {"groups.npy", "3 answers"}));
  EXPECT_TRUE(testing::holds(
      fault(put_answers,
            [](EvidenceFolder& spoilt) { spoilt.remove(kForgetTokens + ".perturbed.groups"); }),
      {"3 answers for 2 sequences", "perturbed.groups.npy"}));
}

TEST(losses, ranks_and_gradient_norms) {
  const auto with = [](const std::string& suffix, Array array) {
    return fault(put_answers, [&](EvidenceFolder& folder) {
      folder.put_file("evidence.toml", "vocabulary = 10\n");
      folder.put(kForgetTokens + suffix, array);
    });
  };
  EXPECT_TRUE(testing::holds(with(".rank", Array::from_integers({0, 1, 2}, {3})),
                             {"forget.rank.npy", "3 values", "5 tokens"}));
  EXPECT_TRUE(testing::holds(with(".rank", Array::from_integers({0, 1, 2, 10, 0}, {5})),
                             {"forget.rank.npy", "10 in sequence 1", "10 tokens"}));
  EXPECT_TRUE(testing::holds(with(".rank", Array::from_integers({0, 1, -2, 1, 0}, {5})),
                             {"forget.rank.npy", "-2 in sequence 0"}));
  EXPECT_TRUE(testing::holds(with(".gradnorm", array_of(DType::float32, {1, 2, 3}, {3})),
                             {"forget.gradnorm.npy", "3 values for 2 sequences"}));
}

TEST(losses, unknown_token_files_are_named_and_passed_over) {
  EvidenceFolder folder;
  put_answers(folder);
  folder.put(kForgetTokens + ".heat", array_of(DType::float32, {1}, {1}));
  folder.put("original/0/tokens/notes", array_of(DType::float32, {1}, {1}));
  const Reading reading = load(folder.path(), false);
  ASSERT_EQ(reading.findings.size(), 2u);
  for (const Finding& finding : reading.findings) EXPECT_EQ(finding.code, "W-NOT-READ");
  EXPECT_EQ(reading.findings[0].file, kForgetTokens + ".heat.npy");
  EXPECT_EQ(reading.findings[1].file, "original/0/tokens/notes.npy");
}

TEST(losses, only_shadows_may_cut_texts_otherwise) {
  const auto put_other = [](EvidenceFolder& folder, const std::string& model) {
    folder.put(model + "/tokens/forget", array_of(DType::float32, {-1, -2, -3, -0.5, 0}, {5}));
    folder.put(model + "/tokens/forget.offsets", Array::from_integers({0, 2, 5}, {3}));
  };
  EXPECT_TRUE(testing::holds(
      fault(put_answers, [&](EvidenceFolder& folder) { put_other(folder, "retrained/0"); }),
      {"retrained/0/tokens/forget.npy", "sequence 0 into 2 tokens", "into 3", "tokenizer"}));
  EvidenceFolder folder;
  put_answers(folder);
  put_other(folder, "shadow/0");
  EXPECT_TRUE(load(folder.path(), false).findings.empty());
}

TEST(losses, generated_texts_have_one_line_per_row) {
  EvidenceFolder folder;
  put_answers(folder);
  folder.put_file("original/0/generated/forget.txt", "one\ntwo\n");
  folder.put_file("text/forget.continuation.txt", "one\ntwo\n");
  const Reading reading = load(folder.path(), false);
  EXPECT_TRUE(reading.findings.empty());
  EXPECT_EQ(reading.evidence.groups.at(0).models.at(0).generated.at("forget").at(1), "two");
  EXPECT_TRUE(testing::holds(fault(put_answers,
                                   [](EvidenceFolder& spoilt) {
                                     spoilt.put_file("original/0/generated/forget.txt", "one\n");
                                   }),
                             {"original/0/generated/forget.txt", "1 line,", "2 sequences"}));
}

}  // namespace
}  // namespace vestige::evidence
