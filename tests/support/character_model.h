// A character trigram language model and synthetic sentences: small enough to be fitted inside a
// test, and whoever fits it knows what it was trained on.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/evidence_folder.h"
#include "vestige/base/seed.h"

namespace vestige::testing {

/// Interpolated n-gram model: P_n(c | h) = (count(hc) + s P_{n-1}(c | h')) / (count(h) + s), where
/// h' is h without its first character, down to the uniform distribution over printable ASCII. The
/// strength s of the lower orders decides how much is memorised.
class CharacterModel {
 public:
  static constexpr std::size_t kOrder = 3;
  static constexpr std::size_t kVocabulary = 95;
  static constexpr double kStrength = 60;
  using Distribution = std::array<double, kVocabulary>;

  /// `weight` 1: the text was seen; 0.5: half of its influence is left.
  void train(std::string_view text, double weight = 1) {
    for (std::size_t place = 0; place < text.size(); ++place) {
      for (std::size_t length = 0; length < kOrder && length <= place; ++length) {
        Counts& counts = counts_[std::string(text.substr(place - length, length))];
        counts.total += weight;
        counts.of[index(text[place])] += weight;
      }
    }
  }

  /// Distribution of the character that follows the first `place` characters of `text`.
  Distribution after(std::string_view text, std::size_t place) const {
    Distribution result;
    result.fill(1.0 / kVocabulary);
    for (std::size_t length = 0; length < kOrder && length <= place; ++length) {
      const auto found = counts_.find(std::string(text.substr(place - length, length)));
      if (found == counts_.end()) break;
      const Counts& counts = found->second;
      for (std::size_t c = 0; c < kVocabulary; ++c) {
        result[c] = (counts.of[c] + kStrength * result[c]) / (counts.total + kStrength);
      }
    }
    return result;
  }

  static std::size_t index(char character) { return static_cast<std::size_t>(character - ' '); }

 private:
  struct Counts {
    double total = 0;
    std::array<double, kVocabulary> of{};
  };
  std::map<std::string, Counts> counts_;
};

/// One sentence: common words that every model learns, and names and numbers that only memory
/// knows.
inline std::string sentence(Stream& stream) {
  static constexpr std::array<std::string_view, 6> kVerbs = {"sold",  "found", "painted",
                                                             "wrote", "lost",  "bought"};
  static constexpr std::array<std::string_view, 6> kThings = {"boats",  "letters", "houses",
                                                              "clocks", "horses",  "maps"};
  const auto name = [&stream] {
    std::string text(1, static_cast<char>('A' + stream.below(26)));
    const std::size_t letters = 4 + stream.below(5);
    while (text.size() < letters) text += static_cast<char>('a' + stream.below(26));
    return text;
  };
  // Drawn one by one: compilers differ in which side of a + they take first.
  const std::string town = name();
  const std::string family = name();
  std::string text = name() + " " + family + " of " + town + " ";
  text += kVerbs[stream.below(kVerbs.size())];
  text += " " + std::to_string(100 + stream.below(900)) + " ";
  text += kThings[stream.below(kThings.size())];
  const std::string place = name();
  return text + " in the year " + std::to_string(1500 + stream.below(500)) + " near " + place + ".";
}

inline std::vector<std::string> sentences(std::size_t count, std::string_view purpose) {
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < count; ++row) {
    Stream stream(1, purpose, row);
    texts.push_back(sentence(stream));
  }
  return texts;
}

inline std::string lower_cased(std::string text) {
  for (char& character : text) {
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
  }
  return text;
}

/// Writes FOLDER/tokens/SPLIT.npy, .offsets, .mean, .std (weighted by p), .entropy and .lower of
/// texts that the model sees after `prefix`.
inline void put_tokens(EvidenceFolder& evidence, const std::string& folder,
                       const std::string& split, const CharacterModel& model,
                       const std::vector<std::string>& texts, const std::string& prefix = {}) {
  std::vector<double> tokens, mean, deviation, entropy, lower;
  std::vector<std::int64_t> offsets = {0};
  for (const std::string& text : texts) {
    const std::string whole = prefix + text;
    const std::string small = prefix + lower_cased(text);
    for (std::size_t place = prefix.size(); place < whole.size(); ++place) {
      const auto p = model.after(whole, place);
      double first = 0, second = 0;
      for (const double value : p) {
        first += value * std::log(value);
        second += value * std::log(value) * std::log(value);
      }
      tokens.push_back(std::log(p[CharacterModel::index(whole[place])]));
      mean.push_back(first);
      deviation.push_back(std::sqrt(std::max(second - first * first, 0.0)));
      entropy.push_back(-first);
      lower.push_back(std::log(model.after(small, place)[CharacterModel::index(small[place])]));
    }
    offsets.push_back(static_cast<std::int64_t>(tokens.size()));
  }
  const auto put = [&](const std::string& suffix, const std::vector<double>& values) {
    evidence.put(folder + "/tokens/" + split + suffix,
                 array_of(evidence::DType::float32, values, {values.size()}));
  };
  put("", tokens);
  put(".mean", mean);
  put(".std", deviation);
  put(".entropy", entropy);
  put(".lower", lower);
  const std::size_t entries = offsets.size();
  evidence.put(folder + "/tokens/" + split + ".offsets",
               evidence::Array::from_integers(std::move(offsets), {entries}));
}

}  // namespace vestige::testing
