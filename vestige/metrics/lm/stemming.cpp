// libstemmer, and where the toolkit departs from the paper.
#include "vestige/metrics/lm/stemming.h"

#include <libstemmer.h>

#include <string_view>
#include <utility>

#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kLongestUnstemmed = 3;

// The toolkit's own list; its other members are stems already.
constexpr std::pair<std::string_view, std::string_view> kIrregular[] = {
    {"skies", "sky"},       {"dying", "die"},        {"lying", "lie"},       {"tying", "tie"},
    {"news", "news"},       {"innings", "inning"},   {"inning", "inning"},   {"outings", "outing"},
    {"outing", "outing"},   {"cannings", "canning"}, {"canning", "canning"}, {"howe", "howe"},
    {"proceed", "proceed"}, {"exceed", "exceed"},    {"succeed", "succeed"}};

bool is_vowel(char letter) {
  return std::string_view("aeiou").find(letter) != std::string_view::npos;
}

}  // namespace

Stemmer::Stemmer() : stemmer_(sb_stemmer_new("porter", "UTF_8"), &sb_stemmer_delete) {
  require(stemmer_ != nullptr, "libstemmer knows no Porter stemmer: install libstemmer0d again");
}

std::string Stemmer::porter(const std::string& word) const {
  const auto* stemmed =
      sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                      static_cast<int>(word.size()));
  require(stemmed != nullptr, "out of memory while stemming a word of {} letters", word.size());
  return {reinterpret_cast<const char*>(stemmed),
          static_cast<std::size_t>(sb_stemmer_length(stemmer_.get()))};
}

std::string Stemmer::stem(std::string word) const {
  if (word.size() <= kLongestUnstemmed) return word;
  for (const auto& [irregular, its_stem] : kIrregular) {
    if (word == irregular) return std::string(its_stem);
  }
  // "dies", "died": "die".
  if (word.size() == 4 && (word.ends_with("ies") || word.ends_with("ied"))) {
    return word.substr(0, 3);
  }
  // "-tionally" and "-fully" go on as "-tional" and "-ful", "-bly" as "-ble".
  if (word.ends_with("tionally") || (word.size() > 6 && word.ends_with("fully"))) {
    word.resize(word.size() - 2);
  } else if (word.size() > 5 && word.ends_with("bly")) {
    word.back() = 'e';
  }
  std::string stemmed = porter(word);
  if (stemmed.size() > 5 && stemmed.ends_with("logi")) stemmed.pop_back();
  // A y after a vowel stays: "play", not "plai".
  const std::size_t last = stemmed.size() - 1;
  if (stemmed.size() > 1 && stemmed[last] == 'i' && word.size() > last && word[last] == 'y' &&
      is_vowel(stemmed[last - 1])) {
    stemmed[last] = 'y';
  }
  return stemmed;
}

}  // namespace vestige::metrics
