// Scores of language models against hand calculations.
#include "vestige/metrics/lm/lm_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support.h"

namespace vestige::metrics {
namespace {

using evidence::Sequences;

const double kLn2 = std::log(2.0);

TEST(lm_scores, losses_are_means_per_token) {
  const std::vector<double> tokens = {-kLn2, -2 * kLn2, -3.0};
  const std::vector<std::size_t> offsets = {0, 2, 3};
  const std::vector<double> losses = lm_losses({tokens, offsets});
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_DOUBLE_EQ(losses[0], 1.5 * kLn2);
  EXPECT_DOUBLE_EQ(losses[1], 3.0);
  // Perplexity 2^1.5 and e^3.
  EXPECT_DOUBLE_EQ(lm_confidences(losses)[0], std::pow(2.0, -1.5));
  EXPECT_DOUBLE_EQ(lm_confidences(losses)[1], std::exp(-3.0));
  EXPECT_EQ(lm_loss_scores(losses)[1], -3.0);
}

TEST(lm_scores, ratio_divides_losses) {
  const std::vector<double> scores =
      lm_ratio_scores(std::vector<double>{1, 3, 2}, std::vector<double>{2, 2, 0});
  EXPECT_EQ(scores[0], -0.5);
  EXPECT_EQ(scores[1], -1.5);
  EXPECT_TRUE(std::isnan(scores[2]));
  EXPECT_TRUE(testing::holds(testing::error_of([] {
                               lm_ratio_scores(std::vector<double>{1}, std::vector<double>{1, 2});
                             }),
                             {"2 values and 1"}));
}

TEST(lm_scores, zlib_counts_bytes_as_python_does) {
  // len(zlib.compress(text)) of Python 3.11 with zlib 1.2.13: 13 of 30 bytes and 28 of 20 bytes.
  const std::string repeated = "abcabcabcabcabcabcabcabcabcabc";
  const std::string plain = "The quick brown fox.";
  EXPECT_DOUBLE_EQ(zlib_rate(repeated), 13.0 / 30.0);
  EXPECT_DOUBLE_EQ(zlib_rate(plain), 28.0 / 20.0);
  EXPECT_TRUE(std::isnan(zlib_rate("")));
  // The same loss says more of a text that is hard to compress.
  const std::vector<double> scores =
      lm_zlib_scores(std::vector<double>{2, 2}, std::vector<std::string>{repeated, plain});
  EXPECT_DOUBLE_EQ(scores[0], -2 * 30.0 / 13.0);
  EXPECT_DOUBLE_EQ(scores[1], -2 * 20.0 / 28.0);
}

TEST(lm_scores, min_k_is_the_mean_of_the_lowest) {
  const std::vector<double> tokens = {-1, -9, -2, -3, -7, -4, -5, -6, -8, -0.5, -2.5, -1.5, -3.5};
  const std::vector<std::size_t> offsets = {0, 10, 13};
  // 20 % of 10 tokens are 2: -9 and -8; of 3 tokens 0.6, so at least one: -3.5.
  const std::vector<double> scores = min_k_scores({tokens, offsets});
  EXPECT_DOUBLE_EQ(scores[0], -8.5);
  EXPECT_DOUBLE_EQ(scores[1], -3.5);
  // All tokens: minus the loss.
  EXPECT_DOUBLE_EQ(min_k_scores({tokens, offsets}, 100)[1], -7.5 / 3);
  for (const double k : {0.0, -1.0, 101.0, std::nan("")}) {
    EXPECT_TRUE(testing::holds(testing::error_of([&] {
                                 min_k_scores({tokens, offsets}, k);
                               }),
                               {"k = "}));
  }
}

TEST(lm_scores, min_k_plus_plus_standardises) {
  const std::vector<double> tokens = {-2, -4, -6, -1, -1, -1, -1};
  const std::vector<double> mean = {-3, -3, -3, -2, -1, -1, -1};
  const std::vector<double> deviation = {1, 0.5, 2, 1, 0, 0, 0};
  const std::vector<std::size_t> offsets = {0, 3, 5, 7};
  // Standardised 1, -2, -1.5: a third of them is -2, two thirds -2 and -1.5.
  EXPECT_DOUBLE_EQ(min_k_plus_plus_scores({tokens, offsets}, mean, deviation, 34)[0], -2);
  const std::vector<double> scores = min_k_plus_plus_scores({tokens, offsets}, mean, deviation, 67);
  EXPECT_DOUBLE_EQ(scores[0], -1.75);
  // The position without spread is left out, and nothing is left of the third sequence.
  EXPECT_DOUBLE_EQ(scores[1], 1);
  EXPECT_TRUE(std::isnan(scores[2]));
}

TEST(lm_scores, surp_needs_improbable_tokens_at_certain_positions) {
  const std::vector<double> tokens = {-1, -9, -2, -3, -7, -4, -5, -6, -8, -0.5, -3, -3, -1};
  std::vector<double> entropy(13, 0.1);
  entropy[8] = 2.0;   // not below 2
  entropy[11] = 5.0;  // of two equal tokens the earlier one counts
  const std::vector<std::size_t> offsets = {0, 10, 13};
  // 30 %: -9, -8, -7 of which -8 was no surprise.
  const std::vector<double> scores =
      surp_scores({tokens, offsets}, entropy, {.k = 30, .max_entropy = 2});
  EXPECT_DOUBLE_EQ(scores[0], -8);
  EXPECT_DOUBLE_EQ(scores[1], -3);
  entropy[10] = 3;
  EXPECT_TRUE(std::isnan(surp_scores({tokens, offsets}, entropy)[1]));
}

TEST(lm_scores, min_max_scaling) {
  const std::vector<double> scaled = min_max_scaled(std::vector<double>{-3, 1, kUndefined, -1});
  EXPECT_EQ(scaled[0], 0);
  EXPECT_EQ(scaled[1], 1);
  EXPECT_TRUE(std::isnan(scaled[2]));
  EXPECT_EQ(scaled[3], 0.5);
  EXPECT_TRUE(std::isnan(min_max_scaled(std::vector<double>{2, 2})[0]));
  EXPECT_TRUE(min_max_scaled({}).empty());
}

}  // namespace
}  // namespace vestige::metrics
