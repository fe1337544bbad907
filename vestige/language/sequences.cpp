// Tokens and batches.
#include "vestige/language/sequences.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::language {

Sequence sequence_of(const Tokenizer& tokenizer, const std::string& prefix,
                     const std::string& prompt, const std::string& text, std::size_t most) {
  const auto encoded = [&](const std::string& part) {
    return part.empty() ? std::vector<int>() : tokenizer.encode(part);
  };
  std::vector<int> before = encoded(prefix);
  const std::vector<int> asked = encoded(prompt);
  std::vector<int> rest = tokenizer.encode(text);
  if (!prompt.empty()) rest.push_back(kEnd);
  const std::size_t own = 1 + asked.size() + rest.size();
  require(most == 0 || own <= most,
          "\"{}\" has {} tokens, the model sees {}: give [model] a larger context, or [data] fewer "
          "tokens",
          (prompt + text).substr(0, 60), own, most);
  require(!rest.empty(), "document with prompt \"{}\" has an empty text", prompt.substr(0, 60));
  if (most > 0 && own + before.size() > most) {
    before.erase(before.begin(), before.end() - static_cast<std::ptrdiff_t>(most - own));
  }
  Sequence sequence;
  sequence.tokens = {kBegin};
  for (const std::vector<int>* part : {&std::as_const(before), &asked, &std::as_const(rest)}) {
    if (part == &rest) sequence.scored = sequence.tokens.size();
    sequence.tokens.insert(sequence.tokens.end(), part->begin(), part->end());
  }
  return sequence;
}

void cut_passages(std::vector<Passage>& passages, const Tokenizer& tokenizer, std::size_t most) {
  for (Passage& passage : passages) {
    if (!passage.prompt.empty()) continue;
    std::vector<int> tokens = tokenizer.encode(passage.text);
    if (tokens.size() > most) tokens.resize(most);
    passage.text = tokenizer.decode(tokens);
  }
}

std::vector<Sequence> sequences_of(const Tokenizer& tokenizer, const std::vector<Passage>& passages,
                                   std::size_t most, const std::vector<std::string>& prefixes) {
  std::vector<Sequence> sequences;
  for (std::size_t row = 0; row < passages.size(); ++row) {
    sequences.push_back(sequence_of(tokenizer, prefixes.empty() ? "" : prefixes[row],
                                    passages[row].prompt, passages[row].text, most));
  }
  return sequences;
}

std::vector<Sequence> windows_of(const Tokenizer& tokenizer, const std::vector<std::string>& texts,
                                 std::size_t length) {
  std::vector<int> all;
  for (const std::string& text : texts) {
    const std::vector<int> tokens = tokenizer.encode(text);
    all.push_back(kBegin);
    all.insert(all.end(), tokens.begin(), tokens.end());
  }
  std::vector<Sequence> windows;
  for (std::size_t first = 0; first + length + 1 <= all.size(); first += length) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    windows.push_back({{begin, begin + static_cast<std::ptrdiff_t>(length + 1)}, 1});
  }
  require(!windows.empty(),
          "the pretraining text has {} tokens, fewer than a context of {}: give "
          "more text",
          all.size(), length);
  return windows;
}

Batch make_batch(const std::vector<const Sequence*>& sequences, torch::Device device) {
  std::size_t longest = 0;
  for (const Sequence* sequence : sequences) longest = std::max(longest, sequence->tokens.size());
  const auto rows = static_cast<std::int64_t>(sequences.size());
  const auto columns = static_cast<std::int64_t>(longest - 1);
  Batch batch{torch::zeros({rows, columns}, torch::kInt64),
              torch::zeros({rows, columns}, torch::kInt64),
              torch::zeros({rows, columns}, torch::kFloat32)};
  for (std::int64_t row = 0; row < rows; ++row) {
    const Sequence& sequence = *sequences[static_cast<std::size_t>(row)];
    std::int64_t* inputs = batch.inputs.data_ptr<std::int64_t>() + row * columns;
    std::int64_t* targets = batch.targets.data_ptr<std::int64_t>() + row * columns;
    float* scored = batch.scored.data_ptr<float>() + row * columns;
    for (std::size_t place = 1; place < sequence.tokens.size(); ++place) {
      inputs[place - 1] = sequence.tokens[place - 1];
      targets[place - 1] = sequence.tokens[place];
      scored[place - 1] = place >= sequence.scored ? 1.0F : 0.0F;
    }
  }
  return {batch.inputs.to(device), batch.targets.to(device), batch.scored.to(device)};
}

Batches::Batches(const std::vector<Sequence>& sequences, std::int64_t size, std::uint64_t seed,
                 std::string purpose, torch::Device device)
    : sequences_(sequences),
      size_(std::min(static_cast<std::size_t>(size), sequences.size())),
      seed_(seed),
      purpose_(std::move(purpose)),
      device_(device) {
  require(!sequences.empty(), "there are no sequences to learn from: check [split]");
}

Batch Batches::next() {
  std::vector<const Sequence*> chosen;
  while (chosen.size() < size_) {
    if (place_ >= order_.size()) {
      order_ = Stream(seed_, purpose_, epoch_++).permutation(sequences_.size());
      place_ = 0;
    }
    chosen.push_back(&sequences_[order_[place_++]]);
  }
  return make_batch(chosen, device_);
}

std::int64_t Batches::steps(double epochs) const {
  const double each = static_cast<double>(sequences_.size()) / static_cast<double>(size_);
  return std::max<std::int64_t>(1, std::llround(epochs * each));
}

}  // namespace vestige::language
