// The results of a whole experiment as one document: the rows of all audits, and what they say
// together.
#pragma once

#include <string>
#include <vector>

#include "vestige/experiment/measure.h"
#include "vestige/study/rows.h"
#include "vestige/study/summary.h"

namespace vestige::experiment {

/// The rows of all audits.
std::vector<study::StudyRow> study_rows(const std::vector<ArmAudit>& audits);

/// What methods cost, from the pool: mean seconds, retraining's seconds, steps and samples.
Json costs(const Experiment& experiment, pool::Store& store);

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
  Json arms = Json::array();
  Json histories = Json::array();  ///< of models on their way (histories.h)
};

Outline outline_of(const Experiment& experiment);

/// Results of any experiment of which there are audits.
report::Results document(const Outline& outline, const std::vector<ArmAudit>& audits,
                         const study::Study& study, const Json& costs, const RunFacts& facts);

/// Results of the experiment: verdicts from every split; the first audit's evidence, series and
/// remembered rows stand for the others, whose own results.json files lie below audits/.
report::Results document(const Experiment& experiment, const std::vector<ArmAudit>& audits,
                         const study::Study& study, const Json& costs, const RunFacts& facts);

}  // namespace vestige::experiment
