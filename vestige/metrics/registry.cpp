// Every metric family, in the order of the report. Adding a metric adds one line here.
#include <array>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/metrics/attacks/attacks_family.h"
#include "vestige/metrics/conformal/conformal_family.h"
#include "vestige/metrics/epsilon/epsilon_family.h"
#include "vestige/metrics/epsilon/mia_gap_family.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/iam/iam_family.h"
#include "vestige/metrics/lm/lm_family.h"
#include "vestige/metrics/mia/mia_family.h"
#include "vestige/metrics/mia_protocol/mia_protocol_family.h"
#include "vestige/metrics/miau/miau_family.h"
#include "vestige/metrics/score_ui/score_ui_family.h"
#include "vestige/metrics/sde/sde_family.h"
#include "vestige/metrics/utility/utility.h"
#include "vestige/metrics/zrf/zrf_family.h"

namespace vestige::metrics {

std::span<const Family> families() {
  static const std::vector<Family> table = {
      {"utility", "accuracy kept, and its distance to retrained", utility_metrics(), Unit::group,
       utility_support, measure_utility, true},
      {"epsilon", "how distinguishable unlearned models are from retrained ones, row by row",
       epsilon_metrics(), Unit::pool, epsilon_support, measure_epsilon},
      {"mia_gap", "how much better a loss attack works than on retrained models", mia_gap_metrics(),
       Unit::group, mia_gap_support, measure_mia_gap},
      {"miau", "share of the attack gap between original and retrained that is closed",
       miau_metrics(), Unit::model, miau_support, measure_miau},
      {"mia", "forget rows that classifiers of published code call members", mia_metrics(),
       Unit::model, mia_support, measure_mia},
      {"zrf", "how close forget predictions are to an untrained model", zrf_metrics(), Unit::model,
       zrf_support, measure_zrf},
      {"conformal", "is the true label of forget rows still in the prediction set",
       conformal_metrics(), Unit::model, conformal_support, measure_conformal},
      {"attacks", "membership attacks with and without shadow models", attack_metrics(),
       Unit::model, attack_support, measure_attacks},
      {"iam", "how far each row is from fitted to generalised, between original and shadow models",
       iam_metrics(), Unit::model, iam_support, measure_iam},
      {"score_ui", "do membership scores follow models from shadow to original", score_ui_metrics(),
       Unit::whole, score_ui_support, measure_score_ui},
      {"mia_protocol", "plain membership inference over models trained on random halves",
       mia_protocol_metrics(), Unit::whole, mia_protocol_support, measure_mia_protocol},
      {"sde", "split-half dependence: do forget sets look trained on?", sde_metrics(), Unit::model,
       sde_support, measure_sde, true},
      {"mmd", "forget sets nearer to retain or to test by MMD", mmd_metrics(), Unit::model,
       mmd_support, measure_mmd, true},
      {"wasserstein", "forget sets nearer to retain or to test by sliced Wasserstein distance",
       wasserstein_metrics(), Unit::model, wasserstein_support, measure_wasserstein, true},
      {"lm", "does a language model still know the forget sequences", lm_metrics(), Unit::model,
       lm_support, measure_lm},
  };
  return table;
}

const MetricInfo* find_metric(std::string_view id) {
  for (const Family& family : families()) {
    for (const MetricInfo& info : family.ids) {
      if (info.id == id) return &info;
    }
  }
  return nullptr;
}

Row make_row(std::string_view id, const Comparison& comparison, const Request& request) {
  const MetricInfo* info = find_metric(id);
  assert(info != nullptr && "every id that a family produces is in its list");
  Row row;
  row.metric = id;
  row.model = comparison.model;
  row.direction = info->direction;
  row.ideal = info->ideal;
  row.control = comparison.control;
  row.seed = request.seed;
  return row;
}

}  // namespace vestige::metrics
