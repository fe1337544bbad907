// Word counts and out-of-fold classifiers.
#include "vestige/metrics/learn/bag_of_words.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/estimate.h"
#include "vestige/metrics/learn/logistic.h"
#include "vestige/metrics/learn/random_forest.h"

namespace vestige::metrics {
namespace {

bool in_word(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= 'a' && byte <= 'z') || byte > 127;
}

char lower(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                              : character;
}

/// Fold of each text: the texts of either class are dealt out in random order.
std::vector<std::size_t> deal_folds(std::span<const int> labels, std::size_t folds,
                                    std::uint64_t seed) {
  std::vector<std::size_t> result(labels.size());
  for (const int label : {0, 1}) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < labels.size(); ++row) {
      if (labels[row] == label) rows.push_back(row);
    }
    Stream stream(seed, "bag_of_words.folds", static_cast<std::uint64_t>(label));
    stream.shuffle(std::span<std::size_t>(rows));
    for (std::size_t place = 0; place < rows.size(); ++place) result[rows[place]] = place % folds;
  }
  return result;
}

/// Texts of one fold, or of all others.
std::vector<std::size_t> texts_of(std::span<const std::size_t> fold_of, std::size_t fold,
                                  bool inside) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < fold_of.size(); ++row) {
    if ((fold_of[row] == fold) == inside) rows.push_back(row);
  }
  return rows;
}

template <typename Value>
std::vector<Value> picked(std::span<const Value> from, std::span<const std::size_t> rows) {
  std::vector<Value> result;
  for (const std::size_t row : rows) result.push_back(from[row]);
  return result;
}

/// Probability of label 1 of every text of a fold.
std::vector<double> fold_scores(std::span<const std::string> known, std::span<const int> labels,
                                std::span<const std::string> texts,
                                const BagOfWordsOptions& options) {
  std::vector<double> scores(texts.size(), kUndefined);
  const std::vector<std::string> words = vocabulary(known, options);
  if (words.empty()) return scores;
  const Matrix train = word_counts(known, words);
  const Matrix test = word_counts(texts, words);
  if (options.classifier == BagOfWordsClassifier::forest) {
    return random_forest(train, labels, test, {.seed = options.seed});
  }
  const LogisticModel model = fit_logistic(train, labels);
  for (std::size_t row = 0; row < scores.size(); ++row) {
    scores[row] = model.probability(test.row(row));
  }
  return scores;
}

}  // namespace

std::string_view name(BagOfWordsClassifier classifier) {
  return classifier == BagOfWordsClassifier::forest ? "forest" : "logistic";
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char character : text) {
    if (in_word(character)) {
      word += lower(character);
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

std::vector<std::string> vocabulary(std::span<const std::string> texts,
                                    const BagOfWordsOptions& options) {
  struct Seen {
    std::size_t texts = 0, last = 0;  ///< how many have the word; the last of them, from 1
  };
  std::unordered_map<std::string, Seen> texts_with;
  for (std::size_t index = 0; index < texts.size(); ++index) {
    for (std::string& word : words_of(texts[index])) {
      if (word.size() < options.shortest) continue;
      Seen& seen = texts_with[std::move(word)];
      if (seen.last == index + 1) continue;
      seen = {seen.texts + 1, index + 1};
    }
  }
  const double least = options.min_share * static_cast<double>(texts.size());
  std::vector<std::pair<std::size_t, std::string>> counted;
  for (const auto& [word, seen] : texts_with) {
    if (static_cast<double>(seen.texts) >= least) counted.emplace_back(seen.texts, word);
  }
  // Whatever the order of the table: the most frequent first, ties by the alphabet.
  std::sort(counted.begin(), counted.end(), [](const auto& left, const auto& right) {
    return left.first != right.first ? left.first > right.first : left.second < right.second;
  });
  std::vector<std::string> kept;
  for (auto& [texts_of_word, word] : counted) kept.push_back(std::move(word));
  if (options.max_words > 0 && kept.size() > options.max_words) kept.resize(options.max_words);
  return kept;
}

Matrix word_counts(std::span<const std::string> texts, std::span<const std::string> words) {
  std::unordered_map<std::string, std::size_t> column;
  for (std::size_t index = 0; index < words.size(); ++index) column[words[index]] = index;
  Matrix counts(texts.size(), words.size());
  parallel_for(texts.size(), [&](std::size_t row) {
    for (const std::string& word : words_of(texts[row])) {
      const auto found = column.find(word);
      if (found != column.end()) counts(row, found->second) += 1;
    }
  });
  return counts;
}

std::vector<double> bag_of_words_scores(std::span<const std::string> texts,
                                        std::span<const int> labels,
                                        const BagOfWordsOptions& options) {
  require(texts.size() == labels.size(), "bag of words: {} texts and {} labels: give one per text",
          texts.size(), labels.size());
  require(options.folds >= 2, "bag of words: {} folds: at least 2 are needed (5 is usual)",
          options.folds);
  std::vector<double> scores(texts.size(), kUndefined);
  const auto members = static_cast<std::size_t>(std::count(labels.begin(), labels.end(), 1));
  const std::size_t fewest = std::min(members, labels.size() - members);
  if (fewest < 2) return scores;
  const std::size_t folds = std::min(options.folds, fewest);
  const std::vector<std::size_t> fold_of = deal_folds(labels, folds, options.seed);
  parallel_for(folds, [&](std::size_t fold) {
    const std::vector<std::size_t> known = texts_of(fold_of, fold, false);
    const std::vector<std::size_t> judged = texts_of(fold_of, fold, true);
    const std::vector<double> found =
        fold_scores(picked<std::string>(texts, known), picked<int>(labels, known),
                    picked<std::string>(texts, judged), options);
    for (std::size_t place = 0; place < judged.size(); ++place)
      scores[judged[place]] = found[place];
  });
  return scores;
}

}  // namespace vestige::metrics
