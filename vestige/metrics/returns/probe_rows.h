// What the returns family reads from evidence: which rows a probe is judged on, and models before
// and after it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "vestige/metrics/family.h"
#include "vestige/metrics/inputs/row_sets.h"
#include "vestige/metrics/returns/returns.h"

namespace vestige::metrics {

/// A model and what a probe made of it.
struct ProbedPair {
  const evidence::Model* before = nullptr;
  const evidence::Model* after = nullptr;
};
using ProbedPairs = std::vector<ProbedPair>;

/// The models that were probed too, by name; those that say nothing of forget or test are left out.
ProbedPairs probed_pairs(const evidence::Evidence& evidence, const Models& models,
                         const std::string& probe);

/// The rows that a probe is judged on. Forget rows that the probe itself shows to the models
/// (members/forget.npy) come back for every model, so they are no target.
struct ProbeRows {
  std::vector<std::size_t> forget;       ///< rows of forget that are target
  std::vector<std::size_t> shown;        ///< rows of forget that the probe trained on
  std::vector<std::size_t> target_test;  ///< rows of test (RowSets)
  std::vector<std::size_t> unseen;       ///< rows of test
  std::shared_ptr<const Strata> strata;

  std::size_t targets() const { return forget.size() + target_test.size(); }
  bool empty() const { return targets() < 2 || unseen.size() < 2; }
};
ProbeRows probe_rows(const evidence::Evidence& evidence, const RowSets& sets,
                     const std::string& probe);

/// The surest signal of these models on those rows, and its name: the probability of the true
/// class, else the likelihood of the sequence, else minus the loss; an empty name where models
/// differ in what they say.
struct NamedSignal {
  std::string name;
  SignalRows rows;
};
NamedSignal signal_rows(const Context& context, const evidence::Evidence& evidence,
                        const Models& models, const ProbeRows& rows);

/// Both sides of a probe for one group of models.
struct ProbedSignal {
  std::string name;  ///< empty: nothing to compare
  SignalRows before;
  SignalRows after;
};
ProbedSignal probed_signal(const Context& context, const evidence::Evidence& evidence,
                           const ProbedPairs& pairs, const ProbeRows& rows);

}  // namespace vestige::metrics
