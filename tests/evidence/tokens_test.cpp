// Evidence of language models: what is read, and every mistake in one sentence with file and row.
#include "vestige/evidence/tokens.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/support/evidence_folder.h"
#include "vestige/evidence/reader.h"

namespace vestige::evidence {
namespace {

using testing::array_of;
using testing::EvidenceFolder;

const std::string kTokens = "original/0/tokens/forget";

/// One model, two sequences of three and two tokens; no labels and no outputs.
void put_sound(EvidenceFolder& folder) {
  folder.put(kTokens, array_of(DType::float32, {-1, -2, -3, -0.5, 0}, {5}));
  folder.put(kTokens + ".offsets", Array::from_integers({0, 3, 5}, {3}));
}

std::string fault_of(const std::function<void(EvidenceFolder&)>& spoil) {
  EvidenceFolder folder;
  put_sound(folder);
  spoil(folder);
  return testing::error_of([&] { load(folder.path(), false); });
}

TEST(tokens, evidence_needs_neither_labels_nor_outputs) {
  EvidenceFolder folder;
  put_sound(folder);
  folder.put(kTokens + ".mean", array_of(DType::float16, {-2, -2, -2, -2, -2}, {5}));
  folder.put(kTokens + ".lower", array_of(DType::float64, {-4, -3}, {2}));
  folder.put(kTokens + ".lower.offsets", Array::from_integers({0, 1, 2}, {3}));
  folder.put_file("text/forget.txt", "one two\nthree\n");
  folder.put_file("evidence.toml", "token_moments = \"weighted\"\n");
  const Reading reading = load(folder.path(), false);
  EXPECT_TRUE(reading.findings.empty());
  EXPECT_EQ(reading.evidence.token_moments, "weighted");
  const Model& model = reading.evidence.groups.at(0).models.at(0);
  EXPECT_FALSE(has_tokens(model, "retain"));
  const TokenSplit split = read_tokens(reading.evidence, model, "forget");
  ASSERT_EQ(split.sequences().size(), 2u);
  EXPECT_EQ(split.sequences()[1][0], -0.5);
  EXPECT_EQ(split.mean.size(), 5u);
  EXPECT_TRUE(split.entropy.empty());
  EXPECT_EQ(split.lower_sequences()[1][0], -3);
}

TEST(tokens, offsets) {
  const auto with = [](std::vector<std::int64_t> offsets) {
    return fault_of([&](EvidenceFolder& folder) {
      const std::size_t size = offsets.size();
      folder.put(kTokens + ".offsets", Array::from_integers(offsets, {size}));
    });
  };
  const std::string file = "original/0/tokens/forget.offsets.npy";
  EXPECT_TRUE(testing::holds(with({0, 3, 6}), {file, "ends with 6", "5 tokens"}));
  EXPECT_TRUE(testing::holds(with({0, 3}), {file, "ends with 3", "5 tokens"}));
  EXPECT_TRUE(testing::holds(with({0, 4, 3, 5}), {file, "from 4 down to 3 after row 1"}));
  EXPECT_TRUE(testing::holds(with({0, 3, 3, 5}), {file, "sequence 1 is empty"}));
  EXPECT_TRUE(testing::holds(with({1, 3, 5}), {file, "starts with 1"}));
  EXPECT_TRUE(testing::holds(with({-1, 3, 5}), {file, "starts with -1"}));
  EXPECT_TRUE(testing::holds(with({5}), {file, "has 1 entries"}));
  EXPECT_TRUE(
      testing::holds(fault_of([](EvidenceFolder& folder) { folder.remove(kTokens + ".offsets"); }),
                     {"original/0/tokens/forget.npy", "forget.offsets.npy"}));
  EXPECT_TRUE(
      testing::holds(fault_of([](EvidenceFolder& folder) {
                       folder.put(kTokens + ".offsets", array_of(DType::float32, {0, 3, 5}, {3}));
                     }),
                     {file, "float32", "whole numbers"}));
}

TEST(tokens, values) {
  const auto with = [](double value) {
    return fault_of([&](EvidenceFolder& folder) {
      folder.put(kTokens, array_of(DType::float32, {-1, -2, -3, -0.5, value}, {5}));
    });
  };
  const std::string file = "original/0/tokens/forget.npy";
  EXPECT_TRUE(testing::holds(with(0.25), {file, "0.25 in sequence 1, token 1", "at most 0"}));
  EXPECT_TRUE(testing::holds(with(std::nan("")), {file, "nan in sequence 1, token 1"}));
  EXPECT_TRUE(testing::holds(with(-HUGE_VAL), {file, "-inf in sequence 1, token 1"}));
  EXPECT_TRUE(testing::holds(fault_of([](EvidenceFolder& folder) {
                               folder.put(kTokens, array_of(DType::float32, {-1, -2}, {1, 2}));
                             }),
                             {file, "[1, 2]", "one floating number per token"}));
  // Rounding is forgiven and counts as 0.
  EvidenceFolder folder;
  put_sound(folder);
  folder.put(kTokens, array_of(DType::float32, {-1, -2, -3, -0.5, 1e-7}, {5}));
  const Reading reading = load(folder.path(), false);
  const Model& model = reading.evidence.groups.at(0).models.at(0);
  EXPECT_EQ(read_tokens(reading.evidence, model, "forget").log_probabilities[4], 0);
}

TEST(tokens, companions) {
  const auto with = [](const std::string& suffix, std::vector<double> values) {
    return fault_of([&](EvidenceFolder& folder) {
      folder.put(kTokens + suffix, array_of(DType::float32, values, {values.size()}));
    });
  };
  EXPECT_TRUE(testing::holds(with(".mean", {-1, -1}), {"forget.mean.npy", "2 values", "5 tokens"}));
  EXPECT_TRUE(testing::holds(with(".std", {1, 1, 1, -1, 1}), {"forget.std.npy", "sequence 1"}));
  EXPECT_TRUE(testing::holds(with(".entropy", {1, std::nan(""), 1, 1, 1}),
                             {"forget.entropy.npy", "nan in sequence 0, token 1"}));
  EXPECT_TRUE(testing::holds(with(".lower", {-1, -1}),
                             {"forget.lower.npy", "2 tokens", "forget.lower.offsets.npy"}));
  EXPECT_TRUE(testing::holds(with(".lower", {-1, -1, -1, -1, 1}),
                             {"forget.lower.npy", "1 in sequence 1", "at most 0"}));
  EXPECT_TRUE(testing::holds(fault_of([](EvidenceFolder& folder) {
                               folder.put("original/0/tokens/retain.mean",
                                          array_of(DType::float32, {1}, {1}));
                             }),
                             {"original/0/tokens/retain.npy is missing"}));
}

TEST(tokens, models_and_texts_list_the_same_sequences) {
  EXPECT_TRUE(testing::holds(
      fault_of([](EvidenceFolder& folder) {
        folder.put("retrained/0/tokens/forget", array_of(DType::float32, {-1, -2, -3}, {3}));
        folder.put("retrained/0/tokens/forget.offsets", Array::from_integers({0, 1, 2, 3}, {4}));
      }),
      {"retrained/0/tokens/forget.npy", "3 sequences", "original/0/tokens/forget.npy has 2"}));
  EXPECT_TRUE(testing::holds(
      fault_of([](EvidenceFolder& folder) { folder.put_file("text/forget.txt", "one\n"); }),
      {"text/forget.txt", "1 line,", "2 sequences"}));
  EXPECT_TRUE(testing::holds(fault_of([](EvidenceFolder& folder) {
                               folder.put_file("evidence.toml", "token_moments = \"both\"\n");
                             }),
                             {"evidence.toml line 1", "weighted", "uniform"}));
}

}  // namespace
}  // namespace vestige::evidence
