// What the jobs of one variant share in a process: tokenizers, tokens, and networks made of pool
// entries.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vestige/language/models.h"
#include "vestige/language/network.h"
#include "vestige/language/sequences.h"

namespace vestige::language {

class Workshop {
 public:
  Workshop(std::shared_ptr<const Variant> variant, std::shared_ptr<pool::Store> store)
      : variant_(std::move(variant)), store_(std::move(store)) {}

  const Variant& variant() const { return *variant_; }
  const Recipe& recipe() const { return variant_->recipe; }
  const LineSettings& line(const Item& item) const {
    return item.shadow ? recipe().shadow : recipe().main;
  }
  const pool::Store& store() const { return *store_; }

  const Tokenizer& tokenizer(const std::string& name);
  /// Of the main line, which cuts articles for all.
  const Tokenizer& main_tokenizer();
  /// A part of the corpus, cut.
  const std::vector<Passage>& passages(const std::string& part);
  /// The texts that an item's line is pretrained on.
  const std::vector<std::string>& texts(const Item& item);
  /// A network of the item's line without weights.
  NetworkPointer network(const Item& item);
  /// The same with the weights of a file in the pool.
  NetworkPointer network(const Item& item, const std::string& model, const std::string& file);
  /// A part as an item's tokenizer sees it.
  std::vector<Sequence> sequences(const Item& item, const std::string& part,
                                  const std::vector<std::string>& prefixes = {});
  /// Most tokens that the item's network can see; 0: any number.
  std::size_t context(const Item& item);

 private:
  std::shared_ptr<const Variant> variant_;
  std::shared_ptr<pool::Store> store_;
  std::map<std::string, Tokenizer> tokenizers_;
  std::map<std::string, std::vector<Passage>> passages_;
  std::map<bool, std::vector<std::string>> texts_;
};

/// What a model says, as files of a pool entry: one of arrays, and one for generated texts.
inline constexpr const char* kArraysFile = "arrays.safetensors";
inline constexpr const char* kTextsFile = "texts.json";
pool::Product answer(Workshop& workshop, const Item& item);

}  // namespace vestige::language
