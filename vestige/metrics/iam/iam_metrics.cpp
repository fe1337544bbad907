// What the IAM family says about itself: ids with their words in verdicts, and its plots.
#include "vestige/metrics/iam/iam_family.h"

namespace vestige::metrics {
namespace {

constexpr std::string_view kMember =
    "to a membership attack its forgotten rows still look like training data";

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
       .what = pick("how well IAM scores separate retained from forgotten rows; 0.5: not at all",
                    "as iam.online.auc, without the original model"),
       .shows_forgetting = true,
       .brief = pick("IAM AUC", ""),
       .headline = online ? 2 : 3,
       .speech = Speech{.place = place + 1,
                        .under = kMember,
                        .over = "its forgotten rows stand out more than rows that a model never "
                                "saw",
                        .against_retain = true}});
  out.push_back({pick("iam.online.tpr", "iam.offline.tpr"), Direction::match, kUndefined,
                 pick("IAM TPR at low FPR", "IAM TPR at low FPR (offline)"),
                 pick("share of retained rows found at a low false positive rate",
                      "as iam.online.tpr, without the original model")});
  out.push_back(
      {.id = pick("iam.online.mean.forget", "iam.offline.mean.forget"),
       .direction = Direction::match,
       .ideal = kUndefined,
       .name =
           pick("mean IAM score of forgotten rows", "mean IAM score of forgotten rows (offline)"),
       .what = pick("mean membership score of forget rows; 1: fully fitted, 0: generalised",
                    "as iam.online.mean.forget, without the original model"),
       .shows_forgetting = true,
       .speech = Speech{.place = place,
                        .under = kMember,
                        .over = "its forgotten rows look less known than to a model that never "
                                "saw them",
                        .core = true}});
  out.push_back({pick("iam.online.mean.retain", "iam.offline.mean.retain"), Direction::match,
                 kUndefined,
                 pick("mean IAM score of retain rows", "mean IAM score of retain rows (offline)"),
                 pick("mean membership score of retain rows",
                      "as iam.online.mean.retain, without the original model")});
  out.push_back({pick("iam.online.under_unlearned", "iam.offline.under_unlearned"),
                 Direction::match, kUndefined,
                 pick("under-unlearned rows", "under-unlearned rows (offline)"),
                 pick("share of forget rows with a score above delta1",
                      "as iam.online.under_unlearned, without the original model"),
                 true});
  out.push_back({pick("iam.online.over_unlearned", "iam.offline.over_unlearned"), Direction::match,
                 kUndefined, pick("over-unlearned rows", "over-unlearned rows (offline)"),
                 pick("share of retain rows with a score below delta2",
                      "as iam.online.over_unlearned, without the original model")});
  out.push_back({pick("iam.online.bce", "iam.offline.bce"), Direction::lower, kUndefined,
                 pick("IAM cross-entropy", "IAM cross-entropy (offline)"),
                 pick("weighted cross-entropy of the scores against retained = 1, forgotten = 0",
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
  return {{"histogram", "iam", "Scores of rows", "{}: how much of each row the model still holds",
           "0 is a row that the model never saw, 1 a row that it fully holds: after good "
           "unlearning forget rows lie where the retrained model's forget rows lie, not at 0 by "
           "force.",
           "Membership score"}};
}

}  // namespace vestige::metrics
