// SentencePiece behind a table of plain functions. It is a library of its own that the lab loads
// when it needs one: SentencePiece and LibTorch bring two protobufs whose names clash in one
// program.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// Takes bytes or numbers that a function returns; `place` is the caller's.
using VestigeTakeBytes = void (*)(void* place, const char* bytes, std::size_t size);
using VestigeTakeIds = void (*)(void* place, const int* ids, std::size_t count);

/// Functions return 0, or 1 with the reason given to `failed`.
struct VestigeTokenizerModule {
  /// Learns a byte-pair encoding of `vocabulary` pieces from `count` texts.
  int (*train)(const char* const* texts, const std::size_t* sizes, std::size_t count,
               int vocabulary, VestigeTakeBytes model, VestigeTakeBytes failed, void* place);
  /// A tokenizer from a model's bytes; null with the reason given to `failed`.
  void* (*open)(const char* model, std::size_t size, VestigeTakeBytes failed, void* place);
  void (*close)(void* tokenizer);
  int (*pieces)(const void* tokenizer);
  void (*encode)(const void* tokenizer, const char* text, std::size_t size, VestigeTakeIds ids,
                 void* place);
  void (*decode)(const void* tokenizer, const int* ids, std::size_t count, VestigeTakeBytes text,
                 void* place);
};

/// The one name that the module exports.
const VestigeTokenizerModule* vestige_tokenizer_module();
}
