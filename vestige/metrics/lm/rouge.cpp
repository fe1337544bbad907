// Words and the longest common subsequence.
#include "vestige/metrics/lm/rouge.h"

#include <algorithm>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/lm/stemming.h"

namespace vestige::metrics {
namespace {

std::vector<std::string> words_of(std::string_view text, const Stemmer* stemmer) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (word.empty()) return;
    words.push_back(stemmer == nullptr ? word : stemmer->stem(word));
    word.clear();
  };
  for (const char character : text) {
    const bool upper = character >= 'A' && character <= 'Z';
    const bool other =
        (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9');
    if (upper || other) {
      word += upper ? static_cast<char>(character - 'A' + 'a') : character;
    } else {
      finish();
    }
  }
  finish();
  return words;
}

std::size_t common_subsequence(std::span<const std::string> left,
                               std::span<const std::string> right) {
  std::vector<std::size_t> best(right.size() + 1);
  for (const std::string& word : left) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t above = best[j + 1];
      best[j + 1] = word == right[j] ? diagonal + 1 : std::max(above, best[j]);
      diagonal = above;
    }
  }
  return best.back();
}

}  // namespace

std::vector<std::string> rouge_words(std::string_view text, bool stemming) {
  if (!stemming) return words_of(text, nullptr);
  const Stemmer stemmer;
  return words_of(text, &stemmer);
}

RougeL rouge_l(std::span<const std::string> reference, std::span<const std::string> generated) {
  if (reference.empty()) return {};
  if (generated.empty()) return {0, 0};
  const auto common = static_cast<double>(common_subsequence(reference, generated));
  const double recall = common / static_cast<double>(reference.size());
  const double precision = common / static_cast<double>(generated.size());
  return {recall, common == 0 ? 0 : 2 * precision * recall / (precision + recall)};
}

std::vector<RougeL> rouge_l_of_lines(std::span<const std::string> references,
                                     std::span<const std::string> generated, bool stemming) {
  require(references.size() == generated.size(),
          "ROUGE of {} references and {} generated texts: give one of each per line",
          references.size(), generated.size());
  std::vector<RougeL> result(references.size());
  parallel_for(result.size(), [&](std::size_t line) {
    result[line] =
        rouge_l(rouge_words(references[line], stemming), rouge_words(generated[line], stemming));
  });
  return result;
}

}  // namespace vestige::metrics
