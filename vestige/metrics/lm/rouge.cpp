// Words, stems and the longest common subsequence.
#include "vestige/metrics/lm/rouge.h"

#include <libstemmer.h>

#include <algorithm>
#include <memory>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kLongestUnstemmed = 3;

using Stemmer = std::unique_ptr<sb_stemmer, decltype(&sb_stemmer_delete)>;

Stemmer porter() {
  Stemmer made(sb_stemmer_new("porter", "UTF_8"), &sb_stemmer_delete);
  require(made != nullptr, "libstemmer knows no Porter stemmer: install libstemmer0d again");
  return made;
}

void stem(std::string& word, sb_stemmer* stemmer) {
  if (word.size() <= kLongestUnstemmed) return;
  const auto* stemmed = sb_stemmer_stem(stemmer, reinterpret_cast<const sb_symbol*>(word.data()),
                                        static_cast<int>(word.size()));
  require(stemmed != nullptr, "out of memory while stemming a word of {} letters", word.size());
  word.assign(reinterpret_cast<const char*>(stemmed),
              static_cast<std::size_t>(sb_stemmer_length(stemmer)));
}

std::vector<std::string> words_of(std::string_view text, sb_stemmer* stemmer) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (word.empty()) return;
    if (stemmer != nullptr) stem(word, stemmer);
    words.push_back(std::move(word));
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
  const Stemmer stemmer = porter();
  return words_of(text, stemmer.get());
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
