// What the IAM family says about itself: ids with their words in verdicts, and its plots.
#include "vestige/metrics/iam/iam_family.h"

namespace vestige::metrics {
namespace {

constexpr std::string_view kMember =
    "to a membership attack its forget examples still look like training data";

/// The ids of one mode; `place` is where they speak in a verdict.
void add_metrics(bool online, int place, std::vector<MetricInfo>& out) {
  const auto pick = [online](std::string_view with, std::string_view without) {
    return online ? with : without;
  };
  out.push_back(
      {.id = pick("iam.online.auc", "iam.offline.auc"),
       .direction = Direction::match,
       .ideal = kUndefined,
       .name = pick("IAM AUC", "IAM AUC (offline)"),
       .what = pick("how well IAM scores separate retain from forget examples; 0.5: not at all",
                    "as iam.online.auc, without the original model"),
       .shows_forgetting = true,
       .brief = pick("IAM AUC", ""),
       .speech = Speech{.place = place + 1,
                        .under = kMember,
                        .over = "its forget examples stand out more than those of a model that "
                                "never saw them",
                        .against_retain = true}});
  out.push_back({pick("iam.online.tpr", "iam.offline.tpr"), Direction::match, kUndefined,
                 pick("IAM TPR at low FPR", "IAM TPR at low FPR (offline)"),
                 pick("share of retain examples found at a low false positive rate",
                      "as iam.online.tpr, without the original model")});
  out.push_back(
      {.id = pick("iam.online.mean.forget", "iam.offline.mean.forget"),
       .direction = Direction::match,
       .ideal = kUndefined,
       .name =
           pick("mean IAM score of forget examples", "mean IAM score of forget examples (offline)"),
       .what = pick(
           "mean membership score of forget examples; 1: as in the original model, 0: as unseen",
           "as iam.online.mean.forget, without the original model"),
       .shows_forgetting = true,
       .speech = Speech{.place = place,
                        .under = kMember,
                        .over = "it fits its forget examples less than a model that never saw "
                                "them",
                        .core = true}});
  out.push_back(
      {pick("iam.online.mean.retain", "iam.offline.mean.retain"), Direction::match, kUndefined,
       pick("mean IAM score of retain examples", "mean IAM score of retain examples (offline)"),
       pick("mean membership score of retain examples",
            "as iam.online.mean.retain, without the original model")});
  out.push_back({pick("iam.online.under_unlearned", "iam.offline.under_unlearned"),
                 Direction::match, kUndefined,
                 pick("under-unlearned examples", "under-unlearned examples (offline)"),
                 pick("share of forget examples with a score above delta1",
                      "as iam.online.under_unlearned, without the original model"),
                 true});
  out.push_back({pick("iam.online.over_unlearned", "iam.offline.over_unlearned"), Direction::match,
                 kUndefined, pick("over-unlearned examples", "over-unlearned examples (offline)"),
                 pick("share of retain examples with a score below delta2",
                      "as iam.online.over_unlearned, without the original model")});
  out.push_back({pick("iam.online.bce", "iam.offline.bce"), Direction::lower, kUndefined,
                 pick("IAM cross-entropy", "IAM cross-entropy (offline)"),
                 pick("weighted cross-entropy of the scores against retain = 1, forget = 0",
                      "as iam.online.bce, without the original model"),
                 true});
  out.push_back({pick("iam.online.spearman", "iam.offline.spearman"), Direction::higher, 1,
                 pick("IAM over graded models", "IAM over graded models (offline)"),
                 pick("rank correlation of scores with known membership over graded models",
                      "as iam.online.spearman, without the original model")});
}

}  // namespace

std::vector<MetricInfo> iam_metrics() {
  std::vector<MetricInfo> metrics;
  add_metrics(true, 20, metrics);
  add_metrics(false, 22, metrics);
  return metrics;
}

std::vector<SeriesInfo> iam_series() {
  return {
      {"histogram", "iam", "Scores of examples", "{}: membership score of each example",
       "0 is an unseen example, 1 an example that the original model was trained on. After good "
       "unlearning, forget examples score like those of the retrained model, which need not be "
       "0.",
       "Membership score"}};
}

}  // namespace vestige::metrics
