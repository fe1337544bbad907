// Dealing out documents.
#include "vestige/language/corpus.h"

#include <limits>
#include <set>
#include <sstream>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/base/sha256.h"
#include "vestige/data/biographies.h"
#include "vestige/data/documents.h"

namespace vestige::language {
namespace {

/// White space as one blank: what tokenizers and lines of a file can hold.
std::string one_line(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  for (std::string word; stream >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

/// The passages of every document, in the order of the source.
std::vector<std::vector<Passage>> articles(const DataSettings& settings) {
  const std::vector<data::Document> documents = data::read_documents(settings.text);
  const auto most = settings.pieces == 0 ? std::numeric_limits<std::size_t>::max()
                                         : static_cast<std::size_t>(settings.pieces);
  const data::Pieces pieces =
      data::cut_documents(documents, static_cast<std::size_t>(settings.words), most);
  std::set<std::string> seen;
  std::vector<std::vector<Passage>> result;
  std::size_t last = documents.size();
  for (std::size_t piece = 0; piece < pieces.texts.size(); ++piece) {
    if (!seen.insert(pieces.texts[piece]).second) continue;
    const std::size_t document = pieces.of[piece];
    if (document != last) result.emplace_back();
    last = document;
    result.back().push_back({"", pieces.texts[piece], documents[document].name});
  }
  return result;
}

std::vector<std::vector<Passage>> lives(const DataSettings& settings, std::size_t count,
                                        std::uint64_t seed) {
  std::vector<std::vector<Passage>> result;
  const auto drawn = data::biographies(count, seed, static_cast<std::size_t>(settings.perturbed));
  for (const data::Biography& life : drawn) {
    std::vector<Passage> passages;
    for (const data::Question& question : life.questions) {
      passages.push_back({"Question: " + question.question + " Answer:",
                          question.answer,
                          life.name,
                          {question.paraphrased},
                          question.perturbed});
    }
    result.push_back(std::move(passages));
  }
  return result;
}

}  // namespace

std::string hash_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += fmt::format("{}:{}", text.size(), text);
  return sha256(std::as_bytes(std::span(all)));
}

Corpus read_corpus(const Recipe& recipe) {
  const SplitSettings& split = recipe.split;
  const std::map<std::string, std::int64_t> wanted = {{"forget", split.forget},
                                                      {"retain", split.retain},
                                                      {"test", split.test},
                                                      {"shadow", split.shadow}};
  std::size_t total = 0;
  for (const auto& [name, count] : wanted) total += static_cast<std::size_t>(count);
  const auto documents = recipe.data.kind == "articles" ? articles(recipe.data)
                                                        : lives(recipe.data, total, recipe.seed);
  require(total <= documents.size(),
          "the split wants {} documents, {} has {} of at least {} words: take fewer", total,
          recipe.data.text, documents.size(), recipe.data.words / 2);
  const auto order = Stream(recipe.seed, "language/split").permutation(documents.size());
  Corpus corpus;
  std::size_t next = 0;
  std::vector<std::string> texts;
  for (const char* name : {"forget", "retain", "test", "shadow"}) {
    std::vector<Passage>& part = corpus.parts[name];
    texts.push_back(name);
    for (std::int64_t taken = 0; taken < wanted.at(name); ++taken) {
      for (const Passage& passage : documents[order[next]]) {
        part.push_back(passage);
        texts.push_back(passage.prompt);
        texts.push_back(passage.text);
      }
      ++next;
    }
  }
  corpus.sha256 = hash_of(texts);
  return corpus;
}

std::vector<std::string> pretraining_texts(const TextSettings& settings, std::uint64_t seed) {
  std::vector<std::string> texts;
  for (const std::string& path : settings.paths) {
    const std::vector<data::Document> documents = data::read_documents(path);
    for (const data::Document& document : documents) texts.push_back(one_line(document.text));
  }
  const auto most = static_cast<std::size_t>(settings.documents);
  if (most == 0 || most >= texts.size()) return texts;
  std::vector<std::string> drawn;
  for (const std::size_t index : Stream(seed, "language/pretrain").sample(texts.size(), most)) {
    drawn.push_back(std::move(texts[index]));
  }
  return drawn;
}

}  // namespace vestige::language
