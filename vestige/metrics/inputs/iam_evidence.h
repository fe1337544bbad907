// IAM on evidence: which models stand for OUT and IN, and the scores of any model between them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "vestige/metrics/family.h"
#include "vestige/metrics/inputs/shadow_models.h"
#include "vestige/metrics/inputs/true_class.h"
#include "vestige/metrics/scores/iam.h"
#include "vestige/metrics/scores/iam_scoring.h"

namespace vestige::metrics {

/// The command line's options of IAM.
struct IamSettings {
  std::size_t shadows = 0;  ///< so many shadow models, drawn by the seed; 0: all
  ResponseOptions response;
  IamOptions iam;
  std::string score = "gumbel";  ///< one variant, or all
  double delta1 = 0.1;           ///< forget rows above it count as under-unlearned
  double delta2_constant = 1.5;  ///< minus the original's test accuracy gives delta2

  /// The variants to score with; the first one is reported in full.
  std::vector<Scoring> scorings() const;
};

/// Declares --iam-shadows and so on; the attacks around IAM follow the same options.
const OptionTable<IamSettings>& iam_options();
/// In force for a request; InputError for a value that makes no sense.
IamSettings iam_settings(const Request& request);

enum class IamMode { online, offline };

/// What the shadow models say of the queries (forget rows, then retain rows), read once.
struct IamShadows {
  IamShadows(const Context& context, const evidence::Evidence& evidence,
             const IamSettings& settings, std::uint64_t seed);

  Models models;
  std::vector<TrueClass> out;
  std::vector<TrueClass> training;  ///< on their own training rows; fewer than models: incomplete
};

/// OUT and IN of comparisons with the same originals.
class IamModels {
 public:
  IamModels(const Context& context, const evidence::Evidence& evidence,
            std::shared_ptr<const IamShadows> shadows, const Models& originals,
            const IamSettings& settings);

  /// Empty if the mode can be measured, else what is missing and what to add.
  Reason missing(IamMode mode) const;
  /// Membership scores of a model; it must have forget and retain outputs.
  std::vector<double> scores(const evidence::Model& model, IamMode mode, Scoring scoring) const;

  std::size_t shadow_count() const { return shadows_->models.size(); }
  /// Mean OUT probability of the true class per query.
  std::vector<double> out_confidence() const;
  /// Zero variance or one shadow: why scores are undefined.
  Reason why_undefined() const;

 private:
  Context context_;
  const evidence::Evidence& evidence_;
  IamSettings settings_;
  std::shared_ptr<const IamShadows> shadows_;
  std::vector<TrueClass> in_;  ///< one per original that covers the queries
};

}  // namespace vestige::metrics
