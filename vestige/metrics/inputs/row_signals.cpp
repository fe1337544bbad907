// Signals from outputs and from tokens.
#include "vestige/metrics/inputs/row_signals.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "vestige/evidence/losses.h"
#include "vestige/evidence/tokens.h"
#include "vestige/metrics/inputs/accuracy.h"
#include "vestige/metrics/inputs/likelihood.h"
#include "vestige/metrics/inputs/true_class.h"
#include "vestige/metrics/stats/row_pairs.h"

namespace vestige::metrics {
namespace {

bool has_sequences_or_losses(const evidence::Model& model) {
  const auto has = [&model](const char* split) {
    return evidence::has_tokens(model, split) || evidence::has_losses(model, split);
  };
  return has("forget") && has("test");
}

/// Rows of a split of the first model that has tokens or losses of both; 0 if none has.
std::size_t speaking_sequences(const evidence::Evidence& evidence, const char* split) {
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      if (has_sequences_or_losses(model)) return sequence_count(model, split);
    }
  }
  return 0;
}

/// Where people were forgotten, unseen rows may be of people whom models know and lie on another
/// level: a model that is surer of everything then moves logarithms of the two unequally. So the
/// same numbers are also read as a probability and as log-odds, as those of classifiers are.
std::vector<RowSignal> on_other_scales(const evidence::Evidence& evidence, RowSignal log) {
  const Forgotten forgotten = forgotten_as_a_whole(evidence);
  if (forgotten != Forgotten::subjects && forgotten != Forgotten::subclasses) {
    return {std::move(log)};
  }
  RowSignal probability{"token_probability", {}}, log_odds{"token_log_odds", {}};
  probability.values.resize(log.values.size());
  exponentials(log.values, probability.values);
  for (const double value : log.values) {
    log_odds.values.push_back(std::clamp(value - std::log(-std::expm1(std::min(value, -1e-12))),
                                         -kLargestLogOdds, kLargestLogOdds));
  }
  return {std::move(log), std::move(probability), std::move(log_odds)};
}

}  // namespace

bool can_speak(const evidence::Model& model) {
  const bool classifier = model.has("forget") && model.has("test");
  return classifier || has_sequences_or_losses(model);
}

RowSets speaking_rows(const evidence::Evidence& evidence) {
  RowSets sets = row_sets(evidence);
  if (!sets.empty()) return sets;
  return sequence_sets(evidence, speaking_sequences(evidence, "forget"),
                       speaking_sequences(evidence, "test"));
}

std::vector<RowSignal> row_signals(const Context& context, const evidence::Evidence& evidence,
                                   const evidence::Model& model, std::string_view split) {
  const auto* labels = evidence.find_labels(model, split);
  if (model.has(split) && labels != nullptr && !labels->empty()) {
    TrueClass known = true_class(context, evidence, model, {split});
    for (std::size_t row = 0; row < known.scaled.size(); ++row) {
      // Log-probabilities of exactly 0 and -infinity have no odds to compute.
      if (std::isnan(known.scaled[row])) {
        known.scaled[row] = known.probability[row] > 0.5 ? kLargestLogOdds : -kLargestLogOdds;
      }
      known.scaled[row] = std::clamp(known.scaled[row], -kLargestLogOdds, kLargestLogOdds);
    }
    return {{"probability", std::move(known.probability)},
            {"right", correct_rows(context, model.outputs.at(std::string(split)), *labels)},
            {"log_odds", std::move(known.scaled)}};
  }
  if (has_likelihoods(evidence, model, split)) {
    return on_other_scales(evidence, {"likelihood", sequence_likelihoods(evidence, model, split)});
  }
  if (evidence::has_losses(model, split)) {
    std::vector<double> values = evidence::read_losses(evidence, model, split);
    for (double& value : values) value = -value;
    return on_other_scales(evidence, {"loss", std::move(values)});
  }
  return {};
}

double mean_distance(const evidence::Evidence& evidence, const evidence::Model& left,
                     const evidence::Model& right) {
  double sum = 0;
  if (left.has("forget") && right.has("forget")) {
    const evidence::Array& ours = left.outputs.at("forget");
    const evidence::Array& theirs = right.outputs.at("forget");
    if (ours.rows() != theirs.rows() || ours.rows() == 0) return kUndefined;
    std::vector<double> p(ours.cols()), q(theirs.cols());
    const auto read = [&](const evidence::Array& from, std::size_t row, std::vector<double>& into) {
      from.read_row(row, into);
      evidence.kind == evidence::OutputKind::probabilities ? scale_row(into) : softmax(into);
    };
    for (std::size_t row = 0; row < ours.rows(); ++row) {
      read(ours, row, p);
      read(theirs, row, q);
      sum += total_variation(p, q);
    }
    return sum / static_cast<double>(ours.rows());
  }
  const auto says = [](const evidence::Model& model) {
    return evidence::has_tokens(model, "forget") || evidence::has_losses(model, "forget");
  };
  if (!says(left) || !says(right)) return kUndefined;
  const std::vector<double> ours = sequence_likelihoods(evidence, left, "forget");
  const std::vector<double> theirs = sequence_likelihoods(evidence, right, "forget");
  if (ours.size() != theirs.size() || ours.empty()) return kUndefined;
  for (std::size_t i = 0; i < ours.size(); ++i) sum += std::abs(ours[i] - theirs[i]);
  return sum / static_cast<double>(ours.size());
}

}  // namespace vestige::metrics
