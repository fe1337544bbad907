// Loading the module, and calling it.
#include "vestige/language/tokenizer.h"

#include <filesystem>

#include "vestige/base/error.h"
#include "vestige/base/platform/library.h"
#include "vestige/base/platform/process.h"
#include "vestige/tokenizer/module.h"

namespace vestige::language {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "libvestige-tokenizer.so";

/// Beside the program, in the folder above (tests), or where it was installed.
std::vector<std::string> module_places() {
  const fs::path folder = platform::own_program().parent_path();
  return {(folder / kFile).string(), (folder.parent_path() / kFile).string(),
          (folder.parent_path() / "lib/vestige" / kFile).string(), kFile};
}

const VestigeTokenizerModule& load_module() {
  // It brings a protobuf whose names are those of LibTorch's.
  for (const std::string& place : module_places()) {
    void* library = platform::open_library(place, platform::Names::own);
    if (library == nullptr) continue;
    using Get = const VestigeTokenizerModule* (*)();
    const auto get = platform::function_of<Get>(library, "vestige_tokenizer_module");
    if (get != nullptr) return *get();
  }
  fail(
      "the tokenizer {} cannot be loaded ({}): it is built and installed with vestige-lab and "
      "needs the package libsentencepiece0",
      kFile, platform::library_error());
}

const VestigeTokenizerModule& module() {
  static const VestigeTokenizerModule& loaded = load_module();
  return loaded;
}

struct Answer {
  std::string bytes, error;
  std::vector<int> ids;
};

void take_bytes(void* place, const char* bytes, std::size_t size) {
  static_cast<Answer*>(place)->bytes.assign(bytes, size);
}
void take_error(void* place, const char* bytes, std::size_t size) {
  static_cast<Answer*>(place)->error.assign(bytes, size);
}
void take_ids(void* place, const int* ids, std::size_t count) {
  static_cast<Answer*>(place)->ids.assign(ids, ids + count);
}

}  // namespace

Tokenizer::Tokenizer(std::string_view model, std::string_view source) {
  Answer answer;
  void* opened = module().open(model.data(), model.size(), take_error, &answer);
  require(opened != nullptr, "{}: is no SentencePiece model: {}", source, answer.error);
  tokenizer_ = std::shared_ptr<void>(opened, module().close);
  size_ = module().pieces(opened);
}

std::vector<int> Tokenizer::encode(std::string_view text) const {
  Answer answer;
  module().encode(tokenizer_.get(), text.data(), text.size(), take_ids, &answer);
  return std::move(answer.ids);
}

std::string Tokenizer::decode(const std::vector<int>& ids) const {
  Answer answer;
  module().decode(tokenizer_.get(), ids.data(), ids.size(), take_bytes, &answer);
  return std::move(answer.bytes);
}

std::string train_tokenizer(const std::vector<std::string>& texts, std::int64_t vocabulary) {
  std::vector<const char*> starts;
  std::vector<std::size_t> sizes;
  for (const std::string& text : texts) {
    starts.push_back(text.data());
    sizes.push_back(text.size());
  }
  Answer answer;
  const int code = module().train(starts.data(), sizes.data(), texts.size(),
                                  static_cast<int>(vocabulary), take_bytes, take_error, &answer);
  require(code == 0,
          "no tokenizer of {} pieces can be learnt from {} texts: {}; give more text or fewer "
          "pieces",
          vocabulary, texts.size(), answer.error);
  return std::move(answer.bytes);
}

}  // namespace vestige::language
