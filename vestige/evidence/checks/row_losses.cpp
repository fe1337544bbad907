// Losses and tokens as one loss per example.
#include "vestige/evidence/checks/row_losses.h"

#include "vestige/base/error.h"
#include "vestige/evidence/losses.h"
#include "vestige/evidence/tokens.h"

namespace vestige::evidence {

std::shared_ptr<const std::vector<double>> row_losses(const Evidence& evidence, const Model& model,
                                                      const std::string& split) {
  // What cannot be read has a finding of its own.
  try {
    if (has_losses(model, split)) {
      return std::make_shared<const std::vector<double>>(read_losses(evidence, model, split));
    }
    if (!has_tokens(model, split)) return nullptr;
    const TokenSplit tokens = read_log_probabilities(evidence, model, split);
    const Sequences sequences = tokens.sequences();
    std::vector<double> losses(sequences.size());
    for (std::size_t row = 0; row < sequences.size(); ++row) {
      for (const double value : sequences[row]) losses[row] -= value;
      losses[row] /= static_cast<double>(sequences[row].size());
    }
    return std::make_shared<const std::vector<double>>(std::move(losses));
  } catch (const InputError&) {
    return nullptr;
  }
}

}  // namespace vestige::evidence
