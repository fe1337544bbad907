// The texts of one variant: who is forgotten, retained, unseen and the shadows', and what comes
// before in pretraining. No LibTorch.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "vestige/language/recipe.h"

namespace vestige::language {

/// One sequence: a piece of an article, or the answer to a question.
struct Passage {
  std::string prompt;    ///< stands before the text and is neither learnt nor scored; may be empty
  std::string text;      ///< what is learnt and scored
  std::string document;  ///< the article or life it belongs to
  std::vector<std::string> paraphrased{}, perturbed{};  ///< other right answers, wrong ones
};

struct Corpus {
  std::map<std::string, std::vector<Passage>> parts;  ///< forget, retain, test, shadow
  std::string sha256;                                 ///< of all of them
  const std::vector<Passage>& part(const std::string& name) const { return parts.at(name); }
};

/// Documents are dealt out at random by the recipe's seed, whole documents to one part; pieces of
/// articles with the same text count once. InputError if there are too few.
Corpus read_corpus(const Recipe& recipe);

/// The texts to pretrain on, drawn by `seed`.
std::vector<std::string> pretraining_texts(const TextSettings& settings, std::uint64_t seed);

/// SHA-256 of texts, their borders included.
std::string hash_of(const std::vector<std::string>& texts);

}  // namespace vestige::language
