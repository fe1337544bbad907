// Texts to numbers and back, by SentencePiece (vestige/tokenizer). No LibTorch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vestige::language {

/// Numbers of the pieces that are no text: SentencePiece's own order.
inline constexpr int kBegin = 1;
inline constexpr int kEnd = 2;

class Tokenizer {
 public:
  /// From the bytes of a trained model; InputError names `source` if they are no such thing.
  Tokenizer(std::string_view model, std::string_view source);

  std::vector<int> encode(std::string_view text) const;
  std::string decode(const std::vector<int>& ids) const;
  /// Pieces, those that are no text included.
  std::int64_t size() const { return size_; }

 private:
  std::shared_ptr<void> tokenizer_;
  std::int64_t size_ = 0;
};

/// A byte-pair encoding of `vocabulary` pieces (fewer if the texts give no more) learnt from the
/// texts: the bytes of its model, the same for the same texts.
std::string train_tokenizer(const std::vector<std::string>& texts, std::int64_t vocabulary);

}  // namespace vestige::language
