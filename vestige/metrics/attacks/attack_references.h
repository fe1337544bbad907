// What membership attacks compare a model with, read once: shadow models, and the original.
#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/inputs/rmia_settings.h"
#include "vestige/metrics/inputs/shadow_models.h"
#include "vestige/metrics/inputs/true_class.h"
#include "vestige/metrics/scores/iam.h"
#include "vestige/metrics/scores/rmia.h"

namespace vestige::metrics {

/// The rows that RMIA and EMIA-P compare with: test.
const std::vector<std::string_view>& population_split();

/// RMIA's signal of every row of the splits, one after the other.
std::vector<double> rmia_values(const Context& context, const evidence::Evidence& evidence,
                                const evidence::Model& model, RmiaSignal signal,
                                const std::vector<std::string_view>& splits,
                                const RmiaSettings& settings = {});

/// p(x) of the query rows and p(z) of the population, by one signal.
struct RmiaReference {
  std::vector<double> rows;
  std::vector<double> population;
};

/// What the shadow models say, read once for all comparisons.
struct ShadowPart {
  ShadowPart(const Context& context, const evidence::Evidence& evidence, const Models& chosen,
             const RmiaSettings& settings = {});

  RmiaSettings rmia;
  bool logits;  ///< otherwise the taylor form and raw logits do not exist
  Models models;
  bool population;              ///< all of them have test rows
  std::vector<TrueClass> rows;  ///< scaled and output of the query rows; the others are empty
  Matrix scaled;
  ShadowMoments moments;
  std::map<RmiaSignal, std::vector<std::vector<double>>> on_rows, on_population;
  std::map<RmiaSignal, RmiaReference> offline;
  /// Fitted on the pairs of these models, or of all where these have none; null without pairs.
  std::shared_ptr<const UnleakAttack> unleak;
};

/// What the original says; comparisons with the same original share it.
struct OriginalPart {
  OriginalPart(const Context& context, const evidence::Evidence& evidence, const Models& originals,
               const ShadowPart& shadows);

  const evidence::Model* model = nullptr;
  std::vector<double> scaled;  ///< of the query rows, as in TrueClass
  std::map<RmiaSignal, RmiaReference> online;
};

}  // namespace vestige::metrics
