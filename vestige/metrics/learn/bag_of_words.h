// A membership score that sees no model: a classifier on the words of the texts (Meeus et al.
// 2025). If it tells members from others, so can any score, without the model remembering anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::metrics {

/// Lower-cased (ASCII) runs of letters, digits and bytes above 127.
std::vector<std::string> words_of(std::string_view text);

enum class BagOfWordsClassifier {
  logistic,  ///< logistic regression
  forest     ///< 100 trees of depth 2, leaves of 5 texts: Meeus et al., and the IAM paper's authors
};
/// "forest", "logistic"
std::string_view name(BagOfWordsClassifier classifier);

struct BagOfWordsOptions {
  std::size_t folds = 5;  ///< at most the size of the smaller class
  BagOfWordsClassifier classifier = BagOfWordsClassifier::logistic;
  std::size_t max_words =
      200;  ///< the words in most texts; of equal ones the first in the alphabet; 0: all
  std::size_t shortest = 1;  ///< bytes of a word at least
  double min_share = 0.05;   ///< of the texts that a word must be in
  std::uint64_t seed = 1;    ///< of the folds
};

/// Words that become features, most frequent first.
std::vector<std::string> vocabulary(std::span<const std::string> texts,
                                    const BagOfWordsOptions& options = {});

/// Occurrences of each word, [texts, words].
Matrix word_counts(std::span<const std::string> texts, std::span<const std::string> words);

/// Probability of label 1 of each text by a classifier on word counts; both it and the vocabulary
/// come from the texts outside the text's fold (stratified folds). NaN for all if a class has fewer
/// than two texts, and for a fold without which no word is frequent enough. Throws if texts and
/// labels differ in number.
std::vector<double> bag_of_words_scores(std::span<const std::string> texts,
                                        std::span<const int> labels,
                                        const BagOfWordsOptions& options = {});

}  // namespace vestige::metrics
