// ROUGE, truth ratio and memorization on cases that are worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support.h"
#include "vestige/base/json.h"
#include "vestige/metrics/lm/memorization.h"
#include "vestige/metrics/lm/rouge.h"
#include "vestige/metrics/lm/truth_ratio.h"

namespace vestige::metrics {
namespace {

RougeL rouge_of(const char* reference, const char* generated, bool stemming = false) {
  return rouge_l(rouge_words(reference, stemming), rouge_words(generated, stemming));
}

TEST(rouge, longest_common_subsequence_by_hand) {
  // "the cat on mat": 4 of 6 words on both sides.
  const RougeL alike = rouge_of("The cat sat on the mat.", "the cat, lay on a mat!");
  EXPECT_DOUBLE_EQ(alike.recall, 4.0 / 6);
  EXPECT_DOUBLE_EQ(alike.f1, 4.0 / 6);
  // "a b" of 2 true and 4 generated words: recall 1, precision 1/2, F1 2/3.
  const RougeL longer = rouge_of("a b", "x a y b");
  EXPECT_DOUBLE_EQ(longer.recall, 1);
  EXPECT_DOUBLE_EQ(longer.f1, 2.0 / 3);
  // Order counts: of "one two three" backwards one word remains.
  EXPECT_DOUBLE_EQ(rouge_of("one two three", "three two one").recall, 1.0 / 3);
  EXPECT_EQ(rouge_of("a b", "c d").f1, 0);
  EXPECT_EQ(rouge_of("a b", "...").recall, 0);
  EXPECT_TRUE(std::isnan(rouge_of("...", "a").recall));
}

TEST(rouge, words_and_stems) {
  EXPECT_EQ(rouge_words("It's 3.5 Km/h, caf\xc3\xa9", false),
            (std::vector<std::string>{"it", "s", "3", "5", "km", "h", "caf"}));
  // Porter (1980), step 1a, 1b and 2 of the paper's examples; words of three letters stay.
  EXPECT_EQ(rouge_words("caresses ponies hopping relational was", true),
            (std::vector<std::string>{"caress", "poni", "hop", "relat", "was"}));
  EXPECT_EQ(rouge_of("hopping caresses", "hops caress").recall, 0);
  EXPECT_EQ(rouge_of("hopping caresses", "hops caress", true).recall, 1);
}

TEST(rouge, departures_from_porter) {
  // As the Natural Language Toolkit documents them: words that mean one thing share a stem.
  EXPECT_EQ(rouge_words("traditionally traditional", true),
            (std::vector<std::string>{"tradit", "tradit"}));
  EXPECT_EQ(rouge_words("dies died dying news", true),
            (std::vector<std::string>{"die", "die", "die", "news"}));
  EXPECT_EQ(rouge_words("play plays enjoy enjoyment", true),
            (std::vector<std::string>{"play", "play", "enjoy", "enjoy"}));
  EXPECT_EQ(rouge_words("possibly possible biology biological", true),
            (std::vector<std::string>{"possibl", "possibl", "biolog", "biolog"}));
  EXPECT_EQ(rouge_words("successfully successful", true),
            (std::vector<std::string>{"success", "success"}));
}

TEST(rouge, lines_must_pair) {
  const std::vector<std::string> two = {"a", "b"};
  const std::vector<std::string> one = {"a"};
  EXPECT_TRUE(testing::holds(testing::error_of([&] { rouge_l_of_lines(two, one, false); }),
                             {"2 references", "1 generated"}));
}

/// Published answers and their ROUGE-L recall by the rouge-score package: not ours to hand on.
TEST(rouge, published_recalls_of_600_answers) {
  const char* folder = std::getenv("VESTIGE_REFERENCE_TEXTS");
  if (folder == nullptr) {
    GTEST_SKIP() << "set VESTIGE_REFERENCE_TEXTS to a folder with tofu/generations.json";
  }
  std::ifstream file(std::string(folder) + "/tofu/generations.json");
  ASSERT_TRUE(file.good());
  const Json models = Json::parse(file);
  std::size_t lines = 0, apart = 0;
  for (const auto& [model, answers] : models.items()) {
    for (const Json& answer : answers) {
      const RougeL ours = rouge_of(answer.at(1).get<std::string>().c_str(),
                                   answer.at(0).get<std::string>().c_str(), true);
      ++lines;
      if (std::abs(ours.recall - answer.at(2).get<double>()) > 1e-6) ++apart;
    }
  }
  EXPECT_EQ(lines, 600u);
  EXPECT_EQ(apart, 0u);
}

TEST(truth_ratio, by_hand) {
  // Wrong answers with mean loss 2.5, right ones with 1: t = exp(-1.5). Then the other way round.
  const std::vector<std::vector<double>> right = {{1}, {2, 3}};
  const std::vector<std::vector<double>> wrong = {{2, 3}, {1}};
  const std::vector<double> ratios = truth_ratios(right, wrong);
  ASSERT_EQ(ratios.size(), 2u);
  EXPECT_DOUBLE_EQ(ratios[0], std::exp(-1.5));
  EXPECT_DOUBLE_EQ(ratios[1], std::exp(1.5));
  // Forgotten knowledge: how far from 1 in either direction. Kept: sure of the right one, or 0.
  EXPECT_DOUBLE_EQ(forgotten_truth(ratios)[0], std::exp(-1.5));
  EXPECT_DOUBLE_EQ(forgotten_truth(ratios)[1], std::exp(-1.5));
  EXPECT_DOUBLE_EQ(kept_truth(ratios)[0], 1 - std::exp(-1.5));
  EXPECT_EQ(kept_truth(ratios)[1], 0);
  EXPECT_DOUBLE_EQ(share_of_truth(ratios)[0], 1 / (1 + std::exp(-1.5)));
  EXPECT_TRUE(testing::holds(
      testing::error_of([&] { truth_ratios(right, std::vector<std::vector<double>>{{1}}); }),
      {"2 questions", "1 with wrong"}));
}

TEST(truth_ratio, probabilities_and_harmonic_mean) {
  const std::vector<double> losses = {std::log(2.0), std::log(4.0)};
  const std::vector<double> open = answer_probabilities(losses, {});
  EXPECT_DOUBLE_EQ(open[0], 0.5);
  EXPECT_DOUBLE_EQ(open[1], 0.25);
  // 1/2 beside 1/4 and 1/4; 1/4 beside 1/4.
  const std::vector<std::vector<double>> wrong = {{std::log(4.0), std::log(4.0)}, {std::log(4.0)}};
  const std::vector<double> chosen = answer_probabilities(losses, wrong);
  EXPECT_DOUBLE_EQ(chosen[0], 0.5);
  EXPECT_DOUBLE_EQ(chosen[1], 0.5);
  EXPECT_DOUBLE_EQ(harmonic_mean(std::vector<double>{1, 0.5, 0.25}), 3.0 / 7);
  EXPECT_EQ(harmonic_mean(std::vector<double>{1, 0}), 0);
  EXPECT_TRUE(std::isnan(harmonic_mean({})));
}

TEST(memorization, by_hand) {
  // Last wrong token: none; the first; the last; all but the last two of five.
  const std::vector<std::int64_t> ranks = {0, 0, 7, 0, 0, 0, 0, 3, 1, 2, 1, 0, 0};
  const std::vector<std::size_t> offsets = {0, 2, 5, 8, 13};
  const std::vector<double> exact = exact_memorization(ranks, offsets);
  EXPECT_EQ(exact, (std::vector<double>{1, 2.0 / 3, 2.0 / 3, 2.0 / 5}));
  EXPECT_EQ(extraction_strength(ranks, offsets), (std::vector<double>{1, 2.0 / 3, 0, 2.0 / 5}));
  EXPECT_EQ(extraction_strength(ranks, offsets, ExtractionRule::at_least_one),
            (std::vector<double>{1, 2.0 / 3, 1.0 / 3, 2.0 / 5}));
}

}  // namespace
}  // namespace vestige::metrics
