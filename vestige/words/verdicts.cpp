// The sentences of verdicts.
#include "vestige/words/verdicts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "vestige/metrics/addition.h"
#include "vestige/metrics/family.h"
#include "vestige/words/numbers.h"
#include "vestige/words/words.h"

namespace vestige::words {
namespace {

using result::Form;
using result::Leaning;
using result::Outcome;
using result::Quantity;
using result::Verdict;
using result::VerdictTest;
using result::Word;

using Tests = std::vector<const VerdictTest*>;

constexpr const char* kOnlyDescribe =
    " Metrics in the tables describe the models; no verdict rests on them.";

std::string metric_name(const VerdictTest& test) {
  const metrics::MetricInfo* metric = metrics::find_metric(test.metric);
  const std::string name = metric == nullptr ? test.metric : std::string(metric->name);
  return test.quantity == Quantity::value_beyond ? name + " minus that on unseen examples" : name;
}

/// As many digits as it takes to show how far the values are apart: two of the smallest
/// difference, at least two and at most five.
int digits_of(const VerdictTest& test) {
  double least = 1;
  const double values[] = {test.method, test.retrained, test.original};
  for (const double left : values) {
    for (const double right : values) {
      if (const double apart = std::abs(left - right); apart > 0) least = std::min(least, apart);
    }
  }
  return std::clamp(static_cast<int>(std::ceil(-std::log10(least))) + 1, 2, 5);
}

std::string values(const VerdictTest& test) {
  const int digits = digits_of(test);
  std::string text = fmt::format("{:.{}f}", test.method, digits);
  if (!std::isnan(test.retrained))
    text += fmt::format(", retrained {:.{}f}", test.retrained, digits);
  if (!std::isnan(test.original)) text += fmt::format(", original {:.{}f}", test.original, digits);
  return text;
}

std::string joined(const Tests& tests) {
  std::vector<std::string> parts;
  for (const VerdictTest* test : tests) {
    parts.push_back(fmt::format("{} {}", metric_name(*test), values(*test)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// The first tests that show something: those beyond the margin first, core ones before others.
Tests leading(const Verdict& verdict, Leaning leaning, std::size_t most) {
  Tests found;
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

/// "it knows ... (accuracy on forget examples 0.95, retrained 0.87, original 1.00; ...)"
std::string claim(const Verdict& verdict, Leaning leaning) {
  const Tests tests = leading(verdict, leaning, 2);
  if (tests.empty()) return {};
  // Without a retrained model nothing is said about one.
  if (verdict.form == Form::alone) {
    return fmt::format("it knows the forget set {} than unseen examples ({})",
                       leaning == Leaning::under ? "better" : "less well", joined(tests));
  }
  const metrics::MetricInfo* metric = metrics::find_metric(tests.front()->metric);
  if (metric == nullptr || !metric->speech) return joined(tests);
  const bool beyond = tests.front()->quantity == Quantity::value_beyond;
  return fmt::format("{}{} ({})", beyond ? "compared with unseen examples, " : "",
                     leaning == Leaning::under ? metric->speech->under : metric->speech->over,
                     joined(tests));
}

Tests kept(const Verdict& verdict) {
  Tests found;
  for (const VerdictTest& test : verdict.tests) {
    if (test.quantity == Quantity::utility) found.push_back(&test);
  }
  return found;
}

std::string margin_text(double margin) {
  return fmt::format("{} of the original-retrained difference", percent(margin));
}

std::string equivalent(const Verdict& verdict) {
  Tests core;
  for (const VerdictTest& test : verdict.tests) {
    if (test.core && test.within) core.push_back(&test);
  }
  const auto measures = static_cast<std::int64_t>(core.size());
  core.resize(std::min<std::size_t>(core.size(), 3));
  std::string text =
      fmt::format("within the declared margin ({}) on {}: {}", margin_text(verdict.margin),
                  counted(measures, "primary test"), joined(core));
  if (!std::isnan(verdict.measurable_within_margin)) {
    text += fmt::format(
        ". Within the margin a difference is still measurable: {}, {} the retrained models",
        margin_text(std::abs(verdict.measurable_within_margin)),
        verdict.measurable_within_margin > 0 ? "above" : "below");
  }
  text += fmt::format(". No loss of utility is shown: {}", joined(kept(verdict)));
  return text;
}

/// A sentence of an earlier version without the method's name at its beginning.
std::string without_name(const Verdict& verdict) {
  const std::string name = verdict.method + ": ";
  const std::string& said = verdict.earlier_sentence;
  return said.starts_with(name) ? said.substr(name.size()) : said;
}

/// What could have been found in the model alone.
std::string alone(const Verdict& verdict) {
  std::vector<std::string> parts;
  for (const VerdictTest& test : verdict.tests) {
    if (!test.core) continue;
    const double most = std::max(0.0, test.difference.upper90);
    std::string part = fmt::format("{:.3f} in {}", most, metric_name(test));
    if (test.original > 0) {
      part += fmt::format(" ({} of the original's {:.3f})", percent(most / test.original),
                          test.original);
    }
    parts.push_back(std::move(part));
  }
  return fmt::format(
      "no trace above {} was found (95 %, one-sided). Smaller traces could not have been detected. "
      "Failing to find a trace is not forgetting",
      fmt::join(parts, "; "));
}

std::string undecided(const Verdict& verdict) {
  if (verdict.form == Form::alone) return alone(verdict);
  Tests used;
  for (const VerdictTest& test : verdict.tests) {
    if (!std::isnan(test.original) && used.size() < 2) used.push_back(&test);
  }
  const bool alike = verdict.under == Outcome::excluded && verdict.over == Outcome::excluded;
  if (verdict.utility_loss == Outcome::shown) {
    return fmt::format("{} ({}), but utility is lost, so the method is not like retraining",
                       alike ? "the forget examples are within the margin"
                             : "no difference is shown on the forget examples",
                       joined(used));
  }
  if (alike && verdict.uneven) {
    return fmt::format(
        "the forget examples are within the margin on average ({}), but the model is more "
        "confident than retrained on some of them and less confident on others",
        joined(used));
  }
  if (alike) return fmt::format("the forget examples are within the margin ({})", joined(used));
  return fmt::format(
      "the tests show neither a difference from retraining nor its absence beyond the margin ({}). "
      "Failing to find a difference is not forgetting",
      joined(used));
}

std::string lead(Word word) {
  switch (word) {
    case Word::forgotten:
      return "forgotten, like retraining";
    case Word::traces_remain:
      return "traces remain";
    case Word::over_forgotten:
      return "over-forgotten";
    case Word::mixed:
      return "mixed, because one test shows traces and another shows over-forgetting";
    case Word::collapsed:
      return "collapsed";
    case Word::not_decided:
      return "not decided";
    case Word::not_tested:
      return "not tested";
  }
  return "";
}

std::string utility(const Verdict& verdict) {
  std::vector<std::string> parts;
  for (const VerdictTest& test : verdict.tests) {
    if (test.shows != Leaning::utility_loss) continue;
    parts.push_back(
        fmt::format("{} {:.3f}, retrained {:.3f}", metric_name(test), test.method, test.retrained));
  }
  return parts.empty() ? "" : fmt::format(" Utility is lost: {}.", fmt::join(parts, "; "));
}

std::string form(const Verdict& verdict) {
  switch (verdict.form) {
    case Form::unseen:
      return fmt::format(" Compared by the gap to unseen examples: {}.",
                         text(verdict.tests.front().difference.how));
    case Form::models:
      return " Compared by the variation between models, without unseen examples, which is a "
             "weaker test.";
    case Form::alone:
      return " Tested without a retrained model, because the forget examples are declared to be a "
             "random draw.";
    case Form::none:
      break;
  }
  return "";
}

}  // namespace

std::string word(Word word) {
  switch (word) {
    case Word::forgotten:
      return "FORGOTTEN";
    case Word::traces_remain:
      return "TRACES REMAIN";
    case Word::over_forgotten:
      return "OVER-FORGOTTEN";
    case Word::mixed:
      return "MIXED";
    case Word::collapsed:
      return "COLLAPSED";
    case Word::not_decided:
      return "NOT DECIDED";
    case Word::not_tested:
      return "NOT TESTED";
  }
  return "";
}

std::string outcome(Outcome outcome) {
  return outcome == Outcome::not_tested ? "not tested" : std::string(result::name(outcome));
}

std::string why(const Verdict& verdict) {
  if (!verdict.earlier_reason.empty()) return verdict.earlier_reason;
  std::string found;
  if (!verdict.ruin.empty()) {
    found = text(verdict.ruin);
  } else if (!verdict.obstacle.empty()) {
    found = text(verdict.obstacle);
  } else if (verdict.word == Word::not_tested && !verdict.utility_missing.empty()) {
    found = text(verdict.utility_missing);
  } else if (verdict.word == Word::forgotten) {
    found = equivalent(verdict);
  } else if (verdict.word == Word::mixed) {
    found = claim(verdict, Leaning::under) + "; " + claim(verdict, Leaning::over);
  } else if (verdict.word == Word::traces_remain) {
    found = claim(verdict, Leaning::under);
  } else if (verdict.word == Word::over_forgotten) {
    found = claim(verdict, Leaning::over);
  } else {
    found = undecided(verdict);
  }
  if (!verdict.additions.empty()) found += "; " + additions(verdict.additions);
  return found;
}

std::string sentence(const Verdict& verdict) {
  if (!verdict.earlier_sentence.empty()) return verdict.earlier_sentence;
  return fmt::format("{}{}: {}", verdict.method,
                     verdict.variant.empty() ? "" : " (" + verdict.variant + ")", body(verdict));
}

std::string body(const Verdict& verdict) {
  if (!verdict.earlier_sentence.empty()) return without_name(verdict);
  std::string said = fmt::format("{}. {}", lead(verdict.word), as_sentence(why(verdict)));
  said += utility(verdict);
  if (verdict.word != Word::not_tested && verdict.form != Form::alone &&
      !verdict.utility_missing.empty()) {
    said += " " + sentences({verdict.utility_missing});
  }
  if (verdict.word == Word::not_tested) said += kOnlyDescribe;
  if (verdict.hardly_changed && !std::isnan(verdict.moved.method)) {
    said += fmt::format(
        " It hardly changed the model: its answers on forget examples moved by {:.3g}, those of "
        "retrained models by {:.3g}.",
        verdict.moved.method, verdict.moved.retrained);
  }
  if (verdict.ruin.empty()) said += form(verdict);
  if (!verdict.cautions.empty()) said += " " + sentences(verdict.cautions);
  return said;
}

std::string picture_note(const Verdict& verdict) {
  const bool over = verdict.word == Word::over_forgotten;
  if (verdict.word != Word::traces_remain && verdict.word != Word::mixed && !over) return {};
  for (const VerdictTest& test : verdict.tests) {
    if (test.core && std::abs(test.difference.estimate) > test.margin) return {};
  }
  const Tests tests = leading(verdict, over ? Leaning::over : Leaning::under, 1);
  if (tests.empty()) return {};
  return tests.front()->core ? "difference shown; its interval reaches beyond the margin"
                             : "shown by " + metric_name(*tests.front());
}

std::string limits(const Verdict& verdict) { return sentences(verdict.limits); }

std::string compared(const VerdictTest& test) {
  std::string what;
  switch (test.quantity) {
    case Quantity::gap:
    case Quantity::value_beyond:
      what = "(method - retrained) on forget examples minus the same on unseen examples";
      break;
    case Quantity::value:
      what = "method - retrained";
      break;
    case Quantity::utility:
      what = "method - retrained; a loss if the whole interval lies below the margin";
      break;
    case Quantity::own_gap:
      what = "forget examples minus unseen examples";
      break;
  }
  const std::string how = text(test.difference.how);
  if (!how.empty()) what += ": " + how;
  if (!test.not_read.empty()) what += "; does not count: " + text(test.not_read);
  return what;
}

std::string additions(const std::vector<result::VerdictAddition>& list) {
  std::string said;
  for (std::size_t first = 0; first < list.size(); ++first) {
    const result::VerdictAddition& one = list[first];
    const auto same_metric = [&one](const auto& other) { return other.metric == one.metric; };
    if (std::any_of(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(first), same_metric)) {
      continue;
    }
    const metrics::Addition* addition = metrics::find_addition(one.metric);
    std::vector<std::string> parts;
    for (const result::VerdictAddition& other : list) {
      if (!same_metric(other)) continue;
      // What the first is a share of, all are.
      const bool says = parts.empty() && addition != nullptr;
      parts.push_back(fmt::format("{} ({:.2f}{})", other.what, other.value,
                                  says ? fmt::format(" of {}", addition->of) : ""));
    }
    said += fmt::format("{}it {} {}", said.empty() ? "" : "; ", one.words, fmt::join(parts, ", "));
  }
  return said;
}

}  // namespace vestige::words
