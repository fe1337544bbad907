// Sequence likelihoods from token arrays.
#include "vestige/metrics/inputs/likelihood.h"

#include "vestige/evidence/tokens.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {

std::vector<double> sequence_likelihoods(const evidence::Evidence& evidence,
                                         const evidence::Model& model, std::string_view split) {
  const evidence::TokenSplit tokens = evidence::read_tokens(evidence, model, split);
  const evidence::Sequences sequences = tokens.sequences();
  std::vector<double> means;
  for (std::size_t index = 0; index < sequences.size(); ++index) {
    means.push_back(mean(sequences[index]));
  }
  return means;
}

}  // namespace vestige::metrics
