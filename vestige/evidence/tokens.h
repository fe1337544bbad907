// What a language model said of the sequences of a split: token log-probabilities, one sequence
// after the other, with the places where sequences begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

/// Numbers per token, cut into sequences: sequence i is values[offsets[i] .. offsets[i + 1]).
struct Sequences {
  std::span<const double> values;
  std::span<const std::size_t> offsets;  ///< sequences + 1

  std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::span<const double> operator[](std::size_t index) const {
    return values.subspan(offsets[index], offsets[index + 1] - offsets[index]);
  }
};

/// The arrays tokens/SPLIT*.npy of one model; those that were not exported are empty.
struct TokenSplit {
  std::vector<std::size_t> offsets;        ///< SPLIT.offsets: sequences + 1, first 0, last tokens
  std::vector<double> log_probabilities;   ///< SPLIT: natural log, at most 0
  std::vector<double> mean;                ///< SPLIT.mean: of ln p over the vocabulary, per token
  std::vector<double> deviation;           ///< SPLIT.std: likewise
  std::vector<double> entropy;             ///< SPLIT.entropy: in nats, per token
  std::vector<double> lower;               ///< SPLIT.lower: ln p of the lower-cased text
  std::vector<std::size_t> lower_offsets;  ///< SPLIT.lower.offsets, or those of SPLIT
  std::vector<std::int64_t> rank;          ///< SPLIT.rank: more probable tokens, 0: greedy
  std::vector<double> gradient_norm;       ///< SPLIT.gradnorm: per sequence

  Sequences sequences() const { return {log_probabilities, offsets}; }
  Sequences lower_sequences() const { return {lower, lower_offsets}; }
};

/// Checks offsets: first 0, ascending without empty sequences, last `tokens`. InputError names
/// `file` and the row.
std::vector<std::size_t> checked_offsets(std::span<const std::int64_t> offsets, std::size_t tokens,
                                         std::string_view file);

/// Checks log-probabilities: finite, and at most 0 but for rounding (up to 1e-6, which counts as
/// 0). InputError names `file`, the sequence and the token.
void check_log_probabilities(std::span<double> values, std::span<const std::size_t> offsets,
                             std::string_view file);

/// True if the model has token log-probabilities of the split.
bool has_tokens(const Model& model, std::string_view split);

/// The arrays of one split, checked. InputError with one sentence that names file, row and remedy.
TokenSplit read_tokens(const Evidence& evidence, const Model& model, std::string_view split);

/// Log-probabilities and offsets alone: what losses need. `split` may also be one of answers,
/// "forget.paraphrased".
TokenSplit read_log_probabilities(const Evidence& evidence, const Model& model,
                                  std::string_view split);

/// All token arrays of the evidence: each for itself, the number of sequences between models, and
/// of text/SPLIT.txt and generations. Shadow models may cut a text into other tokens; all others
/// must share a tokenizer, or their losses per token do not compare. Files that nothing reads are
/// warnings.
Findings check_tokens(const Evidence& evidence);

}  // namespace vestige::evidence
