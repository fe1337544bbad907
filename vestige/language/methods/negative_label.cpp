// A spoilt copy of the sequence before itself, weights untouched: half of its letters, drawn at
// random, are replaced by random ones (IAM paper, 5.7: negative labels).
#include "vestige/base/seed.h"
#include "vestige/language/methods/methods.h"

namespace vestige::language {
namespace {

std::string spoilt(std::string text, std::uint64_t seed, std::size_t row) {
  Stream stream(seed, "language/negative_label", row);
  for (const std::size_t place : stream.sample(text.size(), text.size() / 2)) {
    text[place] = static_cast<char>('a' + stream.below(26));
  }
  // Letters of several bytes may be cut in two: what is left of them is replaced too.
  for (char& letter : text) {
    if (static_cast<unsigned char>(letter) > 127)
      letter = static_cast<char>('a' + stream.below(26));
  }
  return text;
}

}  // namespace

Method negative_label() {
  return {"negative_label",
          "the original behind a spoilt copy of the sequence",
          "IAM paper, Section 5.7",
          {},
          [](Options& options) -> Prefix {
            const auto seed = static_cast<std::uint64_t>(options.integer("seed", 1));
            return {[seed](const Passage& passage, std::size_t row) {
                      return spoilt(passage.text, seed, row);
                    },
                    read_forget_only(options)};
          }};
}

}  // namespace vestige::language
