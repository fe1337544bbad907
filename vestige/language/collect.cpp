// From answers in the pool to an evidence folder that `vestige audit` reads.
#include <sstream>

#include "vestige/base/error.h"
#include "vestige/base/sha256.h"
#include "vestige/collect/folder.h"
#include "vestige/collect/split_files.h"
#include "vestige/evidence/formats/npy.h"
#include "vestige/evidence/formats/safetensors.h"
#include "vestige/language/workshop.h"

namespace vestige::language {
namespace {

std::string single_line(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  for (std::string word; stream >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

/// The texts of the splits, and what truly follows where models go on.
void write_texts(const Variant& variant, const pool::Store& store, collect::Folder& folder) {
  const std::string name = variant.items.front().identity.name();
  const Tokenizer tokenizer(store.read(name, "tokenizer.model"), name);
  const Recipe& recipe = variant.recipe;
  const bool questions = recipe.data.kind == "biographies";
  std::int64_t articles = 0;  // so far, over all parts
  const auto write = [&](const std::string& part, const std::string& split) {
    std::vector<Passage> passages = variant.corpus.part(part);
    cut_passages(passages, tokenizer, static_cast<std::size_t>(recipe.data.tokens));
    const auto most = static_cast<std::size_t>(recipe.collect.retain);
    if (part == "retain" && most > 0 && passages.size() > most) passages.resize(most);
    std::string texts, continuations;
    std::vector<std::int64_t> subjects;
    const std::string* before = nullptr;
    for (const Passage& passage : passages) {
      if (!before || *before != passage.document) ++articles;
      before = &passage.document;
      subjects.push_back(articles);
      texts += single_line(passage.text) + "\n";
      if (questions) {
        continuations += single_line(passage.text) + "\n";
        continue;
      }
      const std::vector<int> tokens = tokenizer.encode(passage.text);
      const std::size_t first = tokens.size() / 2;
      const std::size_t last =
          std::min(tokens.size(), first + static_cast<std::size_t>(recipe.collect.generated));
      const std::vector<int> rest(tokens.begin() + static_cast<std::ptrdiff_t>(first),
                                  tokens.begin() + static_cast<std::ptrdiff_t>(last));
      continuations += single_line(tokenizer.decode(rest)) + "\n";
    }
    folder.write("text/" + split + ".txt", texts);
    // Rows of one article or of one life are not independent of each other.
    if (split == part && (questions || recipe.data.pieces != 1)) {
      folder.write("subjects/" + split + ".npy", collect::npy_of(subjects));
    }
    if (recipe.collect.generated > 0 && (part == "forget" || split != part)) {
      folder.write("text/" + split + ".continuation.txt", continuations);
    }
  };
  for (const char* part : {"forget", "retain", "test"}) write(part, part);
  if (questions) write("retain", "utility.retain");
}

void write_model(const pool::Store& store, const Item& item, collect::Folder& folder) {
  const std::string name = item.identity.name();
  const std::string bytes = store.read(name, kArraysFile);
  const auto arrays = evidence::parse_safetensors(std::as_bytes(std::span(bytes)), nullptr, name);
  for (const auto& [array, values] : arrays) {
    folder.write(item.place + "/" + array + ".npy", evidence::write_npy(values));
  }
  const Json texts = Json::parse(store.read(name, kTextsFile));
  for (const auto& [file, lines] : texts.items()) {
    std::string text;
    for (const Json& line : lines) text += single_line(line.get<std::string>()) + "\n";
    folder.write(item.place + "/" + file, text);
  }
}

}  // namespace

Collected collect(const Variant& variant, const pool::Store& store,
                  const std::filesystem::path& out, const std::string& program) {
  Collected collected;
  Json made_of = {{"corpus", variant.corpus.sha256}, {"program", program}};
  std::vector<const Item*> there;
  for (const Item& item : variant.items) {
    if (item.stage != Stage::answers) continue;
    if (!store.find(item.identity.name())) {
      ++collected.missing;
      continue;
    }
    there.push_back(&item);
    made_of["models"].push_back({item.place, item.identity.name()});
  }
  collected.models = there.size();
  require(!there.empty(), "variant {}: not one of its models was made: there is nothing to measure",
          variant.recipe.name);
  const std::string text = made_of.dump();
  const std::string key = sha256(std::as_bytes(std::span(text)));
  if (collect::record_of(out, key)) return collected;
  collect::Folder folder(out, true);
  for (const Item* item : there) write_model(store, *item, folder);
  write_texts(variant, store, folder);
  const std::int64_t vocabulary =
      store.find(variant.items.front().identity.name())->facts.value("pieces", std::int64_t{0});
  folder.write("evidence.toml",
               fmt::format("token_moments = \"weighted\"\nexchangeable = true\nvocabulary = {}\n",
                           vocabulary));
  folder.commit({key, collected.models, {}});
  return collected;
}

}  // namespace vestige::language
