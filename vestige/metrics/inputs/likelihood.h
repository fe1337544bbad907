// How probable a language model finds each sequence of a split.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/evidence/evidence.h"

namespace vestige::metrics {

/// True if the model says how probable the sequences of a split are: by tokens, or by losses that
/// evidence.toml declares to be those of sequences.
bool has_likelihoods(const evidence::Evidence& evidence, const evidence::Model& model,
                     std::string_view split);

/// Sequences of a split that has likelihoods, without reading them.
std::size_t sequence_count(const evidence::Model& model, std::string_view split);

/// "utility.real_authors", ...: splits of tokens or losses that only measure what a language model
/// still knows, without the suffixes of other arrays.
std::set<std::string> utility_splits(const evidence::Model& model);

/// Mean log-probability of a token (natural log), one per sequence. Throws where tokens are damaged
/// or missing.
std::vector<double> sequence_likelihoods(const evidence::Evidence& evidence,
                                         const evidence::Model& model, std::string_view split);

}  // namespace vestige::metrics
