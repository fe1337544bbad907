// The sentences of the verdicts.
#include "vestige/audit/verdict_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace vestige::audit {
namespace {

constexpr std::string_view kMember =
    "to a membership attack its forgotten rows still look like training data";
constexpr std::string_view kStandsOut =
    "its forgotten rows stand out more than rows that a model never saw";

constexpr VerdictMetric attack(std::string_view id, std::string_view label) {
  return {.id = id, .label = label, .under = kMember, .over = kStandsOut, .against_retain = true};
}

constexpr VerdictMetric kMetrics[] = {
    {.id = "utility.accuracy.forget",
     .label = "accuracy on forgotten rows",
     .under = "it knows the forgotten rows better than a model that never saw them",
     .over = "it does worse on the forgotten rows than a model that never saw them",
     .core = true},
    {.id = "iam.online.mean.forget",
     .label = "mean IAM score of forgotten rows",
     .under = kMember,
     .over = "its forgotten rows look less known than to a model that never saw them",
     .core = true},
    attack("iam.online.auc", "IAM AUC"),
    {.id = "iam.offline.mean.forget",
     .label = "mean IAM score of forgotten rows (offline)",
     .under = kMember,
     .over = "its forgotten rows look less known than to a model that never saw them",
     .core = true},
    attack("iam.offline.auc", "IAM AUC (offline)"),
    {.id = "epsilon.f_score",
     .label = "forgetting quality F",
     .under = "its answers on the forgotten rows can be told from those of retrained models, and "
              "are surer",
     .over = "its answers on the forgotten rows can be told from those of retrained models, and "
             "are less sure",
     .core = true,
     .distance = true},
    {.id = "conformal.cr.forget",
     .label = "conformal ratio of forgotten rows",
     .under = "its prediction sets hold the true labels of the forgotten rows too sharply",
     .over = "its prediction sets hold the true labels of the forgotten rows less sharply than "
             "those of a model that never saw them",
     .core = true,
     .over_models = true},
    {.id = "sde.otr",
     .label = "SDE out-of-training rate",
     .under = "sets of forgotten rows still look trained on",
     .over = "sets of forgotten rows look less trained on than rows that were never seen",
     .core = true,
     .against_retain = true,
     .over_models = true},
    attack("mia.loss.auc", "loss attack AUC"),
    attack("mia.lira.online.auc", "LiRA AUC"),
    attack("mia.lira.offline.auc", "LiRA AUC (offline)"),
    attack("mia.rmia.online.auc", "RMIA AUC"),
    attack("mia.rmia.offline.auc", "RMIA AUC (offline)"),
    attack("mia.emia_p.auc", "EMIA-P AUC"),
    attack("mia.emia_r.auc", "EMIA-R AUC"),
    attack("mia.update.auc", "update attack AUC"),
    attack("mia.unleak.auc", "UnLeak AUC"),
    {.id = "miau.mia.forget_retain",
     .label = "MIAU attack accuracy, forget vs retain",
     .under = kMember,
     .over = kStandsOut,
     .against_retain = true,
     .over_models = true},
    {.id = "miau.mia.forget_test",
     .label = "MIAU attack accuracy, forget vs test",
     .under = kMember,
     .over = "its forgotten rows look less like unseen rows than those of retrained models",
     .over_models = true},
    attack("lm.iam.auc", "IAM AUC"),
    attack("lm.loss.auc", "loss attack AUC"),
    attack("lm.ratio.auc", "reference ratio AUC"),
    attack("lm.min_k.auc", "min-k% AUC"),
    attack("lm.min_k_plus_plus.auc", "min-k%++ AUC"),
    attack("lm.lira.auc", "LiRA AUC"),
    attack("lm.rmia.auc", "RMIA AUC"),
};

/// Two digits, or as many as it takes (at most four) to tell the method from retrained.
std::string values(const VerdictTest& test) {
  int digits = 2;
  while (digits < 4 && test.method != test.retrained &&
         fmt::format("{:.{}f}", test.method, digits) ==
             fmt::format("{:.{}f}", test.retrained, digits)) {
    ++digits;
  }
  return fmt::format("{:.{}f}, retrained {:.{}f}, original {:.{}f}", test.method, digits,
                     test.retrained, digits, test.original, digits);
}

std::string labelled(const VerdictTest& test) {
  const VerdictMetric* metric = find_verdict_metric(test.metric);
  return fmt::format("{} {}", metric == nullptr ? test.metric : metric->label, values(test));
}

/// The first tests that show something: those beyond the margin first, core ones before others.
std::vector<const VerdictTest*> leading(const Verdict& verdict, Finding finding, std::size_t most) {
  std::vector<const VerdictTest*> found;
  for (const VerdictTest& test : verdict.tests) {
    if (test.shows == finding) found.push_back(&test);
  }
  std::stable_sort(
      found.begin(), found.end(), [](const VerdictTest* left, const VerdictTest* right) {
        return std::pair(left->within, !left->core) < std::pair(right->within, !right->core);
      });
  found.resize(std::min(found.size(), most));
  return found;
}

std::string joined(const std::vector<const VerdictTest*>& tests) {
  std::vector<std::string> parts;
  for (const VerdictTest* test : tests) parts.push_back(labelled(*test));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// "it knows ... (accuracy on forgotten rows 0.95, retrained 0.87, original 1.00; IAM AUC ...)"
std::string claim(const Verdict& verdict, Finding finding) {
  const auto tests = leading(verdict, finding, 2);
  const VerdictMetric* metric = find_verdict_metric(tests.front()->metric);
  return fmt::format("{} ({})", finding == Finding::under ? metric->under : metric->over,
                     joined(tests));
}

std::string utility_sentence(const Verdict& verdict) {
  std::vector<std::string> parts;
  for (const VerdictTest& test : verdict.tests) {
    if (test.shows != Finding::utility_loss) continue;
    const std::string split = test.metric.substr(test.metric.rfind('.') + 1);
    parts.push_back(
        fmt::format("{} accuracy {:.3f}, retrained {:.3f}", split, test.method, test.retrained));
  }
  return parts.empty() ? "" : fmt::format(" Utility is lost: {}.", fmt::join(parts, "; "));
}

std::string margin_words(double margin) {
  return fmt::format("{} the distance between original and retrained",
                     margin == 0.25 ? "a quarter of" : fmt::format("{:g} times", margin));
}

std::string equivalent_sentence(const Verdict& verdict, const VerdictOptions& options) {
  std::vector<const VerdictTest*> core;
  for (const VerdictTest& test : verdict.tests) {
    if (test.core && test.within) core.push_back(&test);
  }
  const std::size_t measures = core.size();
  core.resize(std::min<std::size_t>(core.size(), 3));
  std::string text =
      fmt::format("{}: like retraining within the declared margin ({}) on {} measures: {}.",
                  verdict.method, margin_words(options.margin), measures, joined(core));
  for (const Finding finding : {Finding::under, Finding::over}) {
    const auto smaller = leading(verdict, finding, 1);
    if (smaller.empty()) continue;
    text += fmt::format(" A difference smaller than that is seen: {}.", labelled(*smaller.front()));
  }
  return text;
}

std::string inconclusive_sentence(const Verdict& verdict, const std::string& obstacle) {
  if (!obstacle.empty()) return fmt::format("{}: no verdict: {}.", verdict.method, obstacle);
  std::vector<const VerdictTest*> used;
  for (const VerdictTest& test : verdict.tests) {
    if (!std::isnan(test.original) && used.size() < 2) used.push_back(&test);
  }
  if (used.empty()) {
    return fmt::format(
        "{0}: inconclusive: no measure on this evidence can tell original from retrained, so none "
        "can say what {0} forgot.",
        verdict.method);
  }
  return fmt::format(
      "{}: inconclusive: no difference from retrained is shown ({}), nor that there is none beyond "
      "the margin; failing to find a difference is not forgetting.",
      verdict.method, joined(used));
}

}  // namespace

std::span<const VerdictMetric> verdict_metrics() { return kMetrics; }

const VerdictMetric* find_verdict_metric(std::string_view id) {
  const auto* found = std::find_if(std::begin(kMetrics), std::end(kMetrics),
                                   [id](const VerdictMetric& metric) { return metric.id == id; });
  return found == std::end(kMetrics) ? nullptr : found;
}

std::string obstacle_to_verdicts(const evidence::Evidence& evidence) {
  if (evidence.find("retrained") == nullptr) {
    return "without a retrained model nothing shows what a model that never saw these rows would "
           "say, so neither traces nor their absence can be shown";
  }
  if (evidence.find("original") == nullptr) {
    return "without the original model no measure can be checked for seeing traces at all";
  }
  return {};
}

void write_sentence(Verdict& verdict, const std::string& obstacle, const VerdictOptions& options) {
  const bool under = verdict.under == Shown::shown, over = verdict.over == Shown::shown;
  std::string text;
  if (verdict.equivalent == Shown::shown) {
    text = equivalent_sentence(verdict, options);
  } else if (under && over) {
    text = fmt::format("{}: traces remain and it over-forgets: {}; {}.", verdict.method,
                       claim(verdict, Finding::under), claim(verdict, Finding::over));
  } else if (under) {
    text = fmt::format("{}: traces remain: {}.", verdict.method, claim(verdict, Finding::under));
  } else if (over) {
    text = fmt::format("{}: over-forgetting: {}.", verdict.method, claim(verdict, Finding::over));
  } else {
    text = inconclusive_sentence(verdict, obstacle);
  }
  verdict.sentence = text + utility_sentence(verdict);
}

std::string limits(const Grade& grade, const std::vector<std::string_view>& failed) {
  std::string text;
  switch (grade.letter) {
    case 'A':
      text =
          "Nothing is shown about attacks that were not run, nor about rows that were not "
          "given.";
      break;
    case 'B':
      text =
          "One retrained model: how much retraining varies by itself is not seen, so a small "
          "difference may be the chance of that one run. Nothing is shown about attacks that "
          "were not run, nor about rows that were not given.";
      break;
    case 'C':
      text =
          "Shadow models were trained on other rows: what they say is no substitute for a model "
          "retrained without the forgotten rows. Scores and ranks can be read, verdicts cannot "
          "be drawn.";
      break;
    default:
      text = "The unlearned model alone: its answers can be described, not judged.";
  }
  if (!failed.empty()) {
    text += fmt::format(" Left out, as they cannot tell original from retrained here: {}.",
                        fmt::join(failed, ", "));
  }
  return text;
}

}  // namespace vestige::audit
