// The functions of the table.
#include "vestige/tokenizer/module.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <memory>
#include <string>
#include <vector>

namespace {

using sentencepiece::SentencePieceProcessor;

/// Hands the texts to the trainer, which otherwise reads files.
class Texts : public sentencepiece::SentenceIterator {
 public:
  Texts(const char* const* texts, const std::size_t* sizes, std::size_t count)
      : texts_(texts), sizes_(sizes), count_(count) {
    set();
  }
  bool done() const override { return place_ >= count_; }
  void Next() override {
    ++place_;
    set();
  }
  const std::string& value() const override { return current_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  void set() {
    if (place_ < count_) current_.assign(texts_[place_], sizes_[place_]);
  }

  const char* const* texts_;
  const std::size_t* sizes_;
  std::size_t count_;
  std::size_t place_ = 0;
  std::string current_;
};

int train(const char* const* texts, const std::size_t* sizes, std::size_t count, int vocabulary,
          VestigeTakeBytes model, VestigeTakeBytes failed, void* place) {
  // One thread and merges by integer counts: the same texts give the same bytes. Bytes stand in for
  // letters that the texts lack, so that every text can be said.
  const std::unordered_map<std::string, std::string> settings = {
      {"vocab_size", std::to_string(vocabulary)},
      {"model_type", "bpe"},
      {"byte_fallback", "true"},
      {"character_coverage", "0.9995"},
      {"normalization_rule_name", "identity"},
      {"hard_vocab_limit", "false"},
      {"num_threads", "1"},
      {"max_sentence_length", "1000000"},
      {"minloglevel", "2"}};
  Texts iterator(texts, sizes, count);
  std::string bytes;
  const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &iterator, &bytes);
  if (!status.ok()) {
    const std::string why = status.ToString();
    failed(place, why.data(), why.size());
    return 1;
  }
  model(place, bytes.data(), bytes.size());
  return 0;
}

void* open_tokenizer(const char* model, std::size_t size, VestigeTakeBytes failed, void* place) {
  auto processor = std::make_unique<SentencePieceProcessor>();
  const auto status = processor->LoadFromSerializedProto(std::string(model, size));
  if (!status.ok()) {
    const std::string why = status.ToString();
    failed(place, why.data(), why.size());
    return nullptr;
  }
  return processor.release();
}

void close_tokenizer(void* tokenizer) { delete static_cast<SentencePieceProcessor*>(tokenizer); }

int pieces(const void* tokenizer) {
  return static_cast<const SentencePieceProcessor*>(tokenizer)->GetPieceSize();
}

void encode(const void* tokenizer, const char* text, std::size_t size, VestigeTakeIds take,
            void* place) {
  std::vector<int> ids;
  (void)static_cast<const SentencePieceProcessor*>(tokenizer)->Encode({text, size}, &ids);
  take(place, ids.data(), ids.size());
}

void decode(const void* tokenizer, const int* ids, std::size_t count, VestigeTakeBytes take,
            void* place) {
  std::string text;
  (void)static_cast<const SentencePieceProcessor*>(tokenizer)->Decode(
      std::vector<int>(ids, ids + count), &text);
  take(place, text.data(), text.size());
}

constexpr VestigeTokenizerModule kModule = {train,  open_tokenizer, close_tokenizer,
                                            pieces, encode,         decode};

}  // namespace

extern "C" __attribute__((visibility("default"))) const VestigeTokenizerModule*
vestige_tokenizer_module() {
  return &kModule;
}
