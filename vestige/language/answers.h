// What a language model says of sequences, as the evidence wants it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "vestige/language/network.h"
#include "vestige/language/sequences.h"

namespace vestige::language {

/// Arrays by the ending of their names: "" (log-probabilities of scored tokens, float32 [tokens]),
/// ".offsets" (int64 [sequences + 1]), and with `whole` ".mean" and ".std" of ln p weighted by p
/// over the vocabulary, ".entropy" in nats, ".rank" (int64: tokens that were more probable).
using Arrays = std::map<std::string, torch::Tensor>;
Arrays token_answers(const Network& network, const std::vector<Sequence>& sequences, bool whole);

/// Length of the gradient of each sequence's mean loss, float32 [sequences].
torch::Tensor gradient_norms(Network& network, const std::vector<Sequence>& sequences);

/// The most probable token again and again: at most `tokens` of them after the first `known[row]`
/// tokens of each sequence, up to kEnd.
std::vector<std::vector<int>> greedy(const Network& network, const std::vector<Sequence>& sequences,
                                     const std::vector<std::size_t>& known, std::int64_t tokens);

}  // namespace vestige::language
