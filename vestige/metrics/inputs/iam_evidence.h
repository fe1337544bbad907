// IAM on evidence: which models stand for OUT and IN, and the scores of any model between them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "vestige/metrics/family.h"
#include "vestige/metrics/inputs/true_class.h"
#include "vestige/metrics/scores/iam.h"
#include "vestige/metrics/scores/iam_scoring.h"

namespace vestige::metrics {

/// The command line's options of IAM.
struct IamSettings {
  std::size_t shadows = 0;  ///< the first so many shadow models; 0: all
  ResponseOptions response;
  IamOptions iam;
  std::vector<Scoring> scorings = {Scoring::gumbel};  ///< the first one is reported in full
  double delta1 = 0.1;           ///< forget rows above it count as under-unlearned
  double delta2_constant = 1.5;  ///< minus the original's test accuracy gives delta2
};

/// Throws for a value that makes no sense, naming the command-line option.
IamSettings iam_settings(const Request& request);

enum class IamMode { online, offline };

/// OUT and IN of one comparison. Queries are the forget rows, then the retain rows.
class IamModels {
 public:
  IamModels(const Comparison& comparison, const IamSettings& settings);

  /// Empty if the mode can be measured, else what is missing and what to add.
  std::string missing(IamMode mode) const;
  /// Membership scores of a model; it must have forget and retain outputs.
  std::vector<double> scores(const evidence::Model& model, IamMode mode, Scoring scoring) const;

  std::size_t shadow_count() const { return shadows_.size(); }
  /// Mean OUT probability of the true class per query.
  std::vector<double> out_confidence() const;
  /// Zero variance or one shadow: why scores are undefined.
  std::string why_undefined() const;

 private:
  const evidence::Evidence& evidence_;
  IamSettings settings_;
  Models shadows_;
  Models original_;
  std::vector<TrueClass> out_;
  std::vector<TrueClass> in_;
  std::vector<TrueClass> training_;
};

}  // namespace vestige::metrics
