// The sentences of the verdicts.
#include "vestige/audit/verdict_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace vestige::audit {
namespace {

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
  const metrics::MetricInfo* metric = metrics::find_metric(test.metric);
  return fmt::format("{} {}", metric == nullptr ? test.metric : metric->name, values(test));
}

/// The first tests that show something: those beyond the margin first, core ones before others.
std::vector<const VerdictTest*> leading(const Verdict& verdict, Leaning leaning, std::size_t most) {
  std::vector<const VerdictTest*> found;
  for (const VerdictTest& test : verdict.tests) {
    if (test.shows == leaning) found.push_back(&test);
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
std::string claim(const Verdict& verdict, Leaning leaning) {
  const auto tests = leading(verdict, leaning, 2);
  const metrics::Speech& speech = *metrics::find_metric(tests.front()->metric)->speech;
  return fmt::format("{} ({})", leaning == Leaning::under ? speech.under : speech.over,
                     joined(tests));
}

std::string utility_sentence(const Verdict& verdict) {
  std::vector<std::string> parts;
  for (const VerdictTest& test : verdict.tests) {
    if (test.shows != Leaning::utility_loss) continue;
    parts.push_back(fmt::format("{} accuracy {:.3f}, retrained {:.3f}", utility_split(test.metric),
                                test.method, test.retrained));
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
  for (const Leaning leaning : {Leaning::under, Leaning::over}) {
    const auto smaller = leading(verdict, leaning, 1);
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

std::vector<const metrics::MetricInfo*> speaking_metrics() {
  std::vector<const metrics::MetricInfo*> found;
  for (const metrics::Family& family : metrics::families()) {
    for (const metrics::MetricInfo& metric : family.metrics) {
      if (metric.speech) found.push_back(&metric);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto* left, const auto* right) {
    return left->speech->place < right->speech->place;
  });
  return found;
}

std::vector<const metrics::MetricInfo*> utility_metrics() {
  std::vector<const metrics::MetricInfo*> found;
  for (const metrics::Family& family : metrics::families()) {
    for (const metrics::MetricInfo& metric : family.metrics) {
      if (!metric.utility_of.empty()) found.push_back(&metric);
    }
  }
  return found;
}

std::string_view utility_split(std::string_view metric) {
  const metrics::MetricInfo* info = metrics::find_metric(metric);
  return info == nullptr ? std::string_view() : info->utility_of;
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
                       claim(verdict, Leaning::under), claim(verdict, Leaning::over));
  } else if (under) {
    text = fmt::format("{}: traces remain: {}.", verdict.method, claim(verdict, Leaning::under));
  } else if (over) {
    text = fmt::format("{}: over-forgetting: {}.", verdict.method, claim(verdict, Leaning::over));
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
