// Stems of English words as the rouge-score package has them: Porter's rules with the departures of
// the Natural Language Toolkit, whose stemmer that package calls.
#pragma once

#include <memory>
#include <string>

struct sb_stemmer;

namespace vestige::metrics {

/// Porter's stemmer (1980) by libstemmer; not for several threads at once.
class Stemmer {
 public:
  Stemmer();

  /// The stem of a lower-case word; words of up to three letters stay.
  std::string stem(std::string word) const;

 private:
  std::string porter(const std::string& word) const;

  std::shared_ptr<sb_stemmer> stemmer_;
};

}  // namespace vestige::metrics
