// The models of one variant: what each is made of, and the pool jobs that make them and ask them.
// No LibTorch.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vestige/language/corpus.h"
#include "vestige/language/recipe.h"
#include "vestige/pool/job.h"
#include "vestige/pool/store.h"

namespace vestige::language {

/// What a stage of training begins with and learns.
enum class Stage { tokenizer, pretrained, tuned, unlearned, probed, answers };

/// One entry of the pool before it exists.
struct Item {
  Stage stage = Stage::tokenizer;
  pool::Identity identity{};
  bool shadow = false;       ///< of the shadows' line: their text, tokenizer and architecture
  std::string tokenizer{};   ///< name of its tokenizer
  std::string start{};       ///< name of the model whose weights it begins with, or that is asked
  std::string pretrained{};  ///< of unlearned models: what their original began with
  std::vector<std::size_t> rows{};  ///< of forget that it learns, where it is tuned or probed
  std::uint64_t seed = 0;
  std::vector<std::int64_t> checkpoints{};  ///< steps after which weights are kept
  MethodSettings method{};                  ///< of unlearned models, and of answers behind a prefix
  Json options{};                           ///< of the method, in force
  ProbeSettings probe{};                    ///< of probed models and of what they say
  std::string file = "model.safetensors";   ///< of `start`, where it is asked
  std::string place{};  ///< of answers: the model's folder in evidence, "original/0"
};

/// A variant with its texts, and everything that it wants in the pool.
struct Variant {
  Recipe recipe;
  Corpus corpus;
  std::string device;
  std::string main_text, shadow_text;  ///< hashes of the pretraining texts
  std::vector<Item> items;             ///< in an order in which they can be made
};

/// Reads texts, draws the split and lists the models; checks methods and architectures.
std::shared_ptr<const Variant> open_variant(const Recipe& recipe, const std::string& device,
                                            const std::string& where);

/// One job per item.
std::vector<pool::Job> jobs_of(const std::shared_ptr<const Variant>& variant,
                               const std::shared_ptr<pool::Store>& store);

/// Writes the answers of all models that the pool has as an evidence folder. InputError if there
/// are none.
struct Collected {
  std::size_t models = 0, missing = 0;
};
Collected collect(const Variant& variant, const pool::Store& store,
                  const std::filesystem::path& out, const std::string& program);

}  // namespace vestige::language
