// Reading what jobs need, once.
#include "vestige/language/workshop.h"

#include "vestige/base/error.h"

namespace vestige::language {

const Tokenizer& Workshop::tokenizer(const std::string& name) {
  const auto found = tokenizers_.find(name);
  if (found != tokenizers_.end()) return found->second;
  return tokenizers_.emplace(name, Tokenizer(store_->read(name, "tokenizer.model"), name))
      .first->second;
}

const Tokenizer& Workshop::main_tokenizer() {
  return tokenizer(variant_->items.front().identity.name());
}

const std::vector<Passage>& Workshop::passages(const std::string& part) {
  const auto found = passages_.find(part);
  if (found != passages_.end()) return found->second;
  std::vector<Passage> own = variant_->corpus.part(part);
  cut_passages(own, main_tokenizer(), static_cast<std::size_t>(recipe().data.tokens));
  return passages_.emplace(part, std::move(own)).first->second;
}

const std::vector<std::string>& Workshop::texts(const Item& item) {
  const auto found = texts_.find(item.shadow);
  if (found != texts_.end()) return found->second;
  return texts_
      .emplace(item.shadow,
               pretraining_texts(line(item).text, recipe().seed + (item.shadow ? 1 : 0)))
      .first->second;
}

NetworkPointer Workshop::network(const Item& item) {
  Engine engine;
  if (variant_->device == "cuda") {
    at::globalContext().setAllowTF32CuBLAS(recipe().precision != "float32");
    engine = {torch::kCUDA, recipe().precision == "bf16"};
  }
  return make_network(line(item).model, tokenizer(item.tokenizer).size(), engine);
}

NetworkPointer Workshop::network(const Item& item, const std::string& model,
                                 const std::string& file) {
  NetworkPointer made = network(item);
  made->load(store_->read(model, file), model);
  return made;
}

std::size_t Workshop::context(const Item& item) {
  return static_cast<std::size_t>(make_network(line(item).model, 8, {})->context());
}

std::vector<Sequence> Workshop::sequences(const Item& item, const std::string& part,
                                          const std::vector<std::string>& prefixes) {
  return sequences_of(tokenizer(item.tokenizer), passages(part), context(item), prefixes);
}

}  // namespace vestige::language
