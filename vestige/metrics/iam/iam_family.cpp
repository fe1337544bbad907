// The family `iam`: what it needs, and what its comparisons share.
#include "vestige/metrics/iam/iam_family.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "vestige/metrics/iam/iam_rows.h"
#include "vestige/metrics/inputs/iam_evidence.h"
#include "vestige/metrics/inputs/row_cost.h"
#include "vestige/metrics/inputs/true_class.h"

namespace vestige::metrics {
namespace {

Support iam_support(const evidence::Evidence& evidence) {
  const Models shadows = out_models(evidence, query_splits());
  if (shadows.empty()) {
    return {false, reason(Code::needs_shadow_models, 1, "shadow/0/{forget,retain}.npy")};
  }
  if (evidence.find_labels("forget") == nullptr || evidence.find_labels("retain") == nullptr) {
    return {false, reason(Code::needs_labels, std::vector<std::string>{"forget", "retain"},
                          "labels/{forget,retain}.npy")};
  }
  bool online = false;
  if (const evidence::Group* originals = evidence.find("original")) {
    online =
        std::any_of(originals->models.begin(), originals->models.end(),
                    [](const evidence::Model& model) { return covers(model, query_splits()); });
  }
  const bool offline =
      std::all_of(shadows.begin(), shadows.end(), [&](const evidence::Model* model) {
        return model->has("shadow_train") &&
               evidence.find_labels(*model, "shadow_train") != nullptr;
      });
  if (online && offline) return {true, {}};
  constexpr const char* kOriginal = "original/0/{forget,retain}.npy";
  constexpr const char* kTraining = "shadow/0/shadow_train.npy, labels/shadow_train.npy";
  if (!online && !offline) return {false, reason(Code::needs_fitted_model, kOriginal, kTraining)};
  return {true, reason(Code::scores_need_files,
                       std::vector<std::string>{online ? "iam.offline" : "iam.online"},
                       online ? kTraining : kOriginal)};
}

/// What all comparisons share: the shadows and, where all have the same originals, these and the
/// scores of the retrained models that the others are read against.
class Prepared {
 public:
  explicit Prepared(const Preparation& from)
      : evidence_(from.evidence),
        request_(from.request),
        settings_(iam_settings(from.request)),
        shadows_(std::make_shared<const IamShadows>(from.request.context, from.evidence, settings_,
                                                    from.request.seed)) {
    const auto& all = from.comparisons;
    if (all.empty() || !std::all_of(all.begin(), all.end(), [&](const Comparison& comparison) {
          return comparison.original == all.front().original;
        })) {
      return;
    }
    common_.emplace(request_.context, evidence_, shadows_, all.front().original, settings_);
    const evidence::Group* retrained = evidence_.find("retrained");
    if (retrained == nullptr) return;
    for (const evidence::Model& model : retrained->models) {
      if (!covers(model, query_splits())) continue;
      for (const IamMode mode : {IamMode::online, IamMode::offline}) {
        if (!common_->missing(mode).empty()) continue;
        references_[{&model, mode}] = common_->scores(model, mode, settings_.scorings().front());
      }
      // The first stands beside everyone else, the second beside the first.
      if (references_.size() >= 4) break;
    }
  }

  Measurements measure(const Comparison& comparison) const {
    Measurements out;
    std::optional<IamModels> own;
    if (!common_)
      own.emplace(request_.context, evidence_, shadows_, comparison.original, settings_);
    const IamModels& models = common_ ? *common_ : *own;
    add_iam_rows(comparison, request_, settings_, models, references_, out);
    return out;
  }

 private:
  const evidence::Evidence& evidence_;
  const Request& request_;
  IamSettings settings_;
  std::shared_ptr<const IamShadows> shadows_;
  std::optional<IamModels> common_;
  ReferenceScores references_;
};

Measure prepare_iam(const Preparation& from) {
  const auto prepared = std::make_shared<const Prepared>(from);
  return
      [prepared](const Comparison& comparison, Progress&) { return prepared->measure(comparison); };
}

Reason iam_impossible(const Planned& planned) {
  if (planned.asks("iam") && planned.models.at("shadow") == 0) {
    return reason(Code::planned_shadows_missing, "iam");
  }
  if (planned.asks("iam.online") && planned.models.at("original") == 0) {
    return reason(Code::planned_models_missing, "iam.online", "original", 1);
  }
  return {};
}

/// Measured as docs/performance.md tells.
std::optional<Cost> iam_cost(const evidence::Evidence& evidence, const Json&) {
  return row_cost(evidence, attacked_roles(), {"forget", "retain", "test"},
                  {.output = 0.6, .row = 2100});
}

}  // namespace

Family iam_family() {
  return {.name = "iam",
          .summary = "membership score of each example, between shadow models (0) and original (1)",
          .metrics = iam_metrics(),
          .ranges = {{"iam", kShare},
                     {"iam.online.bce", kFromZero},
                     {"iam.offline.bce", kFromZero},
                     {"iam.online.spearman", kCorrelation},
                     {"iam.offline.spearman", kCorrelation}},
          .support = iam_support,
          .prepare = prepare_iam,
          .options = iam_options().options(),
          .series = iam_series(),
          .impossible = iam_impossible,
          .cost = iam_cost};
}

}  // namespace vestige::metrics
