// The sentences of the verdicts.
#include "vestige/audit/verdict_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "vestige/audit/additions.h"

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
  std::string text = fmt::format("{:.{}f}", test.method, digits);
  if (!std::isnan(test.retrained))
    text += fmt::format(", retrained {:.{}f}", test.retrained, digits);
  if (!std::isnan(test.original)) text += fmt::format(", original {:.{}f}", test.original, digits);
  return text;
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
    const metrics::MetricInfo* metric = metrics::find_metric(test.metric);
    if (metric != nullptr && metric->likelihood) {
      parts.push_back(fmt::format("{} perplexity {:.3g}, retrained {:.3g}", metric->utility_of,
                                  std::exp(-test.method), std::exp(-test.retrained)));
      continue;
    }
    parts.push_back(fmt::format("{} accuracy {:.3f}, retrained {:.3f}", utility_split(test.metric),
                                test.method, test.retrained));
  }
  return parts.empty() ? "" : fmt::format(" Utility is lost: {}.", fmt::join(parts, "; "));
}

std::string margin_words(double margin) {
  return fmt::format("{} the distance between original and retrained",
                     margin == 0.25 ? "a quarter of" : fmt::format("{:g} times", margin));
}

std::string equivalent_reason(const Verdict& verdict, const VerdictOptions& options) {
  std::vector<const VerdictTest*> core;
  for (const VerdictTest& test : verdict.tests) {
    if (test.core && test.within) core.push_back(&test);
  }
  const std::size_t measures = core.size();
  core.resize(std::min<std::size_t>(core.size(), 3));
  std::string text =
      fmt::format("within the declared margin ({}) on {} measure{}: {}",
                  margin_words(options.margin), measures, measures == 1 ? "" : "s", joined(core));
  for (const Leaning leaning : {Leaning::under, Leaning::over}) {
    const auto smaller = leading(verdict, leaning, 1);
    if (smaller.empty()) continue;
    text += fmt::format("; a difference smaller than that is seen: {}", labelled(*smaller.front()));
  }
  return text;
}

/// "no trace above 0.012 of forget accuracy (15 % of the original's)": what could have been seen.
std::string alone_sentence(const Verdict& verdict) {
  std::vector<std::string> parts;
  for (const VerdictTest& test : verdict.tests) {
    if (!test.core) continue;
    std::string part = fmt::format("{:.3f} in {}", std::max(0.0, test.difference.upper90),
                                   metrics::find_metric(test.metric)->name);
    if (test.original > 0) {
      part +=
          fmt::format(" ({:.0f} % of the original's {:.3f})",
                      100 * std::max(0.0, test.difference.upper90) / test.original, test.original);
    }
    parts.push_back(std::move(part));
  }
  return fmt::format(
      "no trace found above {} (95 % one-sided); smaller ones could not have been seen, and that "
      "none is found is not forgetting",
      fmt::join(parts, "; "));
}

std::string undecided(const Verdict& verdict) {
  std::vector<const VerdictTest*> used;
  for (const VerdictTest& test : verdict.tests) {
    if (!std::isnan(test.original) && used.size() < 2) used.push_back(&test);
  }
  if (used.empty()) {
    return "no measure on this evidence can tell original from retrained by more than chance, so "
           "none can say what was forgotten; more forget rows, more rows that nobody saw (test) or "
           "more models a side would help";
  }
  if (verdict.utility_loss == Shown::shown && verdict.under == Shown::not_shown &&
      verdict.over == Shown::not_shown) {
    return fmt::format("forgotten rows are within the margin ({}), but what should be kept is not",
                       joined(used));
  }
  return fmt::format(
      "no difference from retrained is shown ({}), nor that there is none beyond the margin; "
      "failing to find a difference is not forgetting",
      joined(used));
}

Word word_of(const Verdict& verdict, const std::string& obstacle, const RuinFound& ruin) {
  const bool under = verdict.under == Shown::shown, over = verdict.over == Shown::shown;
  if (ruin.ruin == Ruin::scrambled) return Word::no_verdict;
  if (verdict.equivalent == Shown::shown) return Word::forgotten;
  if (under && over) return Word::traces_and_over;
  if (under) return Word::traces;
  if (over) return Word::over;
  return verdict.form == Form::none && !obstacle.empty() ? Word::no_verdict : Word::not_decided;
}

std::string reason_of(const Verdict& verdict, const std::string& obstacle, const RuinFound& ruin,
                      const VerdictOptions& options) {
  if (ruin.ruin == Ruin::collapsed) return "it has collapsed: " + ruin.sentence;
  if (ruin.ruin == Ruin::scrambled) {
    return ruin.sentence +
           ": destroyed, or its rows are in another order than the labels (vestige inspect looks "
           "for that)";
  }
  switch (verdict.word) {
    case Word::forgotten:
      return equivalent_reason(verdict, options);
    case Word::traces:
      return claim(verdict, Leaning::under);
    case Word::over:
      return claim(verdict, Leaning::over);
    case Word::traces_and_over:
      return claim(verdict, Leaning::under) + "; " + claim(verdict, Leaning::over);
    case Word::not_decided:
      return verdict.form == Form::alone ? alone_sentence(verdict) : undecided(verdict);
    case Word::no_verdict:
      return obstacle;
  }
  return {};
}

std::string_view lead(Word word) {
  switch (word) {
    case Word::forgotten:
      return "forgotten, like retraining";
    case Word::traces:
      return "traces remain";
    case Word::over:
      return "over-forgetting";
    case Word::traces_and_over:
      return "traces remain and it over-forgets";
    case Word::not_decided:
      return "not decided";
    case Word::no_verdict:
      return "no verdict";
  }
  return "";
}

std::string form_sentence(const Verdict& verdict) {
  switch (verdict.form) {
    case Form::unseen:
      return fmt::format(" Yardstick: rows that nobody saw ({}).",
                         verdict.tests.front().difference.how);
    case Form::models:
      return " Judged by how much models vary, without rows that nobody saw, which is weaker.";
    case Form::alone:
      return " Judged without a retrained model, because forget rows are declared to be a random "
             "draw.";
    case Form::none:
      return "";
  }
  return "";
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
    if (evidence.exchangeable) {
      return "forget rows are declared to be a random draw, but there are no rows that nobody saw: "
             "add test.npy of the method and labels/test.npy";
    }
    return "without a retrained model nothing shows what a model that never saw these rows would "
           "say; if forget rows were drawn at random from where test rows come from, say "
           "exchangeable = true in evidence.toml";
  }
  if (evidence.find("original") == nullptr) {
    return "without the original model no measure can be checked for seeing traces at all";
  }
  return {};
}

void write_sentence(Verdict& verdict, const std::string& obstacle, const RuinFound& ruin,
                    const std::optional<Moved>& moved, const VerdictOptions& options) {
  verdict.word = word_of(verdict, obstacle, ruin);
  verdict.reason = reason_of(verdict, obstacle, ruin, options);
  if (!verdict.additions.empty()) verdict.reason += "; " + addition_text(verdict.additions);
  std::string text = fmt::format("{}{}: {}: {}.", verdict.method,
                                 verdict.arm.empty() ? "" : " (" + verdict.arm + ")",
                                 lead(verdict.word), verdict.reason);
  text += utility_sentence(verdict);
  if (verdict.hardly_changed && moved) {
    text += fmt::format(
        " It hardly changed the model: its answers on forgotten rows moved by {:.3g}, those of "
        "retrained models by {:.3g}.",
        moved->method, moved->retrained);
  }
  if (ruin.ruin == Ruin::none) text += form_sentence(verdict);
  verdict.sentence = text;
}

std::string limits(const Grade& grade, Form form, const std::vector<std::string_view>& failed) {
  constexpr std::string_view kAlways =
      "Nothing is shown about attacks that were not run, nor about rows that were not given.";
  std::string text;
  if (form == Form::alone) {
    text =
        "No retrained model: traces can be shown, forgetting cannot; and all of it rests on forget "
        "rows being a random draw. ";
  } else if (grade.letter == 'B' && form == Form::unseen) {
    text =
        "One retrained model: what it differs by on rows that nobody saw stands for the chance of "
        "training. ";
  } else if (grade.letter == 'B' && !failed.empty()) {
    text =
        "One retrained model, and nothing here tells it from the original: a difference may be the "
        "chance of that one run, so none is shown. ";
  } else if (grade.letter == 'B') {
    text =
        "One retrained model and no rows that nobody saw: a difference may be the chance of that "
        "one run, so none is shown. ";
  } else if (grade.letter == 'C') {
    text =
        "Shadow models were trained on other rows: what they say is no substitute for a model "
        "retrained without the forgotten rows. ";
  } else if (grade.letter == 'D') {
    text = "The unlearned model alone: its answers can be described, not judged. ";
  }
  text += kAlways;
  if (!failed.empty()) {
    text += fmt::format(" Left out, as they cannot tell original from retrained here: {}.",
                        fmt::join(failed, "; "));
  }
  return text;
}

std::string_view name(Shown shown) {
  switch (shown) {
    case Shown::shown:
      return "shown";
    case Shown::not_shown:
      return "not shown";
    case Shown::inconclusive:
      return "inconclusive";
  }
  return "";
}

std::string_view name(Leaning leaning) {
  switch (leaning) {
    case Leaning::none:
      return "";
    case Leaning::under:
      return "under";
    case Leaning::over:
      return "over";
    case Leaning::utility_loss:
      return "utility loss";
  }
  return "";
}

std::string_view name(Word word) {
  switch (word) {
    case Word::forgotten:
      return "FORGOTTEN";
    case Word::traces:
      return "TRACES REMAIN";
    case Word::over:
      return "OVER-FORGOTTEN";
    case Word::traces_and_over:
      return "TRACES + OVER-FORGOTTEN";
    case Word::not_decided:
      return "NOT DECIDED";
    case Word::no_verdict:
      return "NO VERDICT";
  }
  return "";
}

std::string_view name(Form form) {
  switch (form) {
    case Form::none:
      return "";
    case Form::unseen:
      return "unseen rows";
    case Form::models:
      return "models";
    case Form::alone:
      return "model alone";
  }
  return "";
}

}  // namespace vestige::audit
