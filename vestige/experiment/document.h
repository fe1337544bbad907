// The results of a whole experiment as one document: the rows of all audits, and what they say
// together.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "vestige/experiment/measure.h"
#include "vestige/result/study_experiment.h"
#include "vestige/study/rows.h"
#include "vestige/study/summary.h"

namespace vestige::experiment {

/// The rows of all audits.
std::vector<study::StudyRow> study_rows(const std::vector<VariantAudit>& audits);

/// What methods cost, from the pool: mean seconds, retraining's seconds, steps and samples.
std::vector<result::MethodCost> costs(const Experiment& experiment, pool::Store& store);

/// How far methods moved their models, from the pool (StudyOptions::moved). Left out are identity,
/// and models of versions that did not record it.
std::map<std::string, double> moves(const Experiment& experiment, pool::Store& store);

/// How the experiment was run.
struct RunFacts {
  std::string command, started;
  double seconds = 0;
  int threads = 1;
};

/// What the document says of the experiment as a whole.
struct Outline {
  std::filesystem::path path;
  std::string name, size, notes;
  std::uint64_t seed = 0;
  std::vector<result::ExperimentVariant> variants{};
  std::vector<result::History> histories{};  ///< of models during training (histories.h)
  std::map<std::string, double> moved{};     ///< StudyOptions::moved
};

Outline outline_of(const Experiment& experiment);

/// Results of any experiment of which there are audits.
report::Results document(const Outline& outline, const std::vector<VariantAudit>& audits,
                         const study::Study& study, const std::vector<result::MethodCost>& costs,
                         const RunFacts& facts);

/// Results of the experiment: verdicts from every split; the first audit's evidence, series and
/// remembered examples stand for the others, whose own results.json files lie below audits/.
report::Results document(const Experiment& experiment, const std::vector<VariantAudit>& audits,
                         const study::Study& study, const std::vector<result::MethodCost>& costs,
                         const RunFacts& facts);

}  // namespace vestige::experiment
