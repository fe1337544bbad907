// Passages as tokens, and batches of them as tensors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vestige/language/corpus.h"
#include "vestige/language/tokenizer.h"
#include "vestige/models/torch.h"

namespace vestige::language {

/// Tokens that begin with kBegin; those from `scored` on are learnt and scored (at least 1, since
/// the first has nothing before it).
struct Sequence {
  std::vector<int> tokens;
  std::size_t scored = 1;

  std::size_t scored_tokens() const { return tokens.size() - scored; }
};

/// Text to be scored after a prefix and a prompt. Answers to a prompt close with kEnd. Of a prefix
/// that does not fit into `most` tokens (0: any number) the end is taken; a prompt and a text that
/// do not fit are an InputError.
Sequence sequence_of(const Tokenizer& tokenizer, const std::string& prefix,
                     const std::string& prompt, const std::string& text, std::size_t most);

/// Articles cut to `most` tokens; the text becomes what is left of it, so that other tokenizers see
/// the same. Answers are not cut.
void cut_passages(std::vector<Passage>& passages, const Tokenizer& tokenizer, std::size_t most);

/// All of a part, in its order; `prefixes` has none, or one for each.
std::vector<Sequence> sequences_of(const Tokenizer& tokenizer, const std::vector<Passage>& passages,
                                   std::size_t most, const std::vector<std::string>& prefixes = {});

/// Running text as windows of `length` + 1 tokens, kBegin before every text.
std::vector<Sequence> windows_of(const Tokenizer& tokenizer, const std::vector<std::string>& texts,
                                 std::size_t length);

/// Several sequences, padded on the right: a causal model never looks there.
struct Batch {
  torch::Tensor inputs;   ///< int64 [batch, tokens]: all but the last token
  torch::Tensor targets;  ///< int64 [batch, tokens]: all but the first
  torch::Tensor scored;   ///< float32 [batch, tokens]: 1 where the target is scored
};
Batch make_batch(const std::vector<const Sequence*>& sequences, torch::Device device);

/// Batches of `size` sequences, each once an epoch, in the order of Stream(seed, purpose, epoch).
/// The sequences must outlive it.
class Batches {
 public:
  Batches(const std::vector<Sequence>& sequences, std::int64_t size, std::uint64_t seed,
          std::string purpose, torch::Device device);
  Batch next();
  /// Steps of so many epochs.
  std::int64_t steps(double epochs) const;

 private:
  const std::vector<Sequence>& sequences_;
  std::size_t size_;
  std::uint64_t seed_;
  std::string purpose_;
  torch::Device device_;
  std::vector<std::size_t> order_;
  std::size_t place_ = 0;
  std::uint64_t epoch_ = 0;
};

}  // namespace vestige::language
