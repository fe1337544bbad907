// Bag of words: words, vocabulary and out-of-fold scores.
#include "vestige/metrics/learn/bag_of_words.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/stats/roc.h"

namespace vestige::metrics {
namespace {

TEST(bag_of_words, words) {
  const std::vector<std::string> expected = {"it", "s", "a", "caf\xc3\xa9", "no", "7"};
  EXPECT_EQ(words_of("It's a Caf\xc3\xa9 -- no. 7"), expected);
  EXPECT_TRUE(words_of(" .,").empty());
}

TEST(bag_of_words, vocabulary_by_number_of_texts) {
  const std::vector<std::string> texts = {"the cat the", "the dog", "a dog", "the end"};
  const std::vector<std::string> expected = {"the", "dog", "a"};
  EXPECT_EQ(vocabulary(texts, {.max_words = 3}), expected);
  // The published programs count words of two characters and more.
  EXPECT_EQ(vocabulary(texts, {.max_words = 0, .shortest = 2}),
            (std::vector<std::string>{"the", "dog", "cat", "end"}));
  const std::vector<std::string> frequent = {"the", "dog"};
  EXPECT_EQ(vocabulary(texts, {.min_share = 0.5}), frequent);
  const Matrix counts = word_counts(texts, frequent);
  EXPECT_EQ(counts(0, 0), 2);
  EXPECT_EQ(counts(0, 1), 0);
  EXPECT_EQ(counts(2, 1), 1);
}

TEST(bag_of_words, tells_texts_apart_only_where_they_differ) {
  std::vector<std::string> topics, random;
  std::vector<int> labels;
  Stream stream(1, "bag_of_words_test");
  for (int row = 0; row < 100; ++row) {
    const int label = row % 2;
    labels.push_back(label);
    topics.push_back(label == 1 ? "a red ship" : "a blue ship");
    // Words that say nothing: a classifier judged on its own training texts would use them.
    std::string text;
    for (int word = 0; word < 40; ++word) {
      text += std::string(2, static_cast<char>('a' + stream.below(26))) + " ";
    }
    random.push_back(text);
  }
  for (const auto classifier : {BagOfWordsClassifier::forest, BagOfWordsClassifier::logistic}) {
    const BagOfWordsOptions options{.classifier = classifier};
    EXPECT_EQ(auc(bag_of_words_scores(topics, labels, options), labels), 1) << name(classifier);
    // Under chance the AUC of 50 + 50 rows has a standard error of 0.058.
    EXPECT_NEAR(auc(bag_of_words_scores(random, labels, options), labels), 0.5, 3 * 0.058)
        << name(classifier);
  }
}

TEST(bag_of_words, undefined_and_mistakes) {
  const std::vector<std::string> texts = {"a", "b", "c"};
  EXPECT_TRUE(std::isnan(bag_of_words_scores(texts, std::vector<int>{0, 1, 1})[0]));
  EXPECT_TRUE(std::isnan(bag_of_words_scores(std::vector<std::string>{"", ".", "", "."},
                                             std::vector<int>{0, 0, 1, 1})[3]));
  EXPECT_TRUE(testing::holds(testing::error_of([&] {
                               bag_of_words_scores(texts, std::vector<int>{0, 1});
                             }),
                             {"3 texts and 2 labels"}));
}

}  // namespace
}  // namespace vestige::metrics
