// Rules that turn tests into answers.
#include "vestige/audit/verdicts/verdict_decision.h"

#include <algorithm>
#include <cmath>

#include "vestige/audit/verdicts/speaking.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/stats/multiple_testing.h"

namespace vestige::audit {
namespace {

/// The interval towards the original: lower end on the far side, upper end on the original's.
struct Oriented {
  double lower90;
  double upper90;
};

Oriented oriented(const VerdictTest& test) {
  const Difference& difference = test.difference;
  if (test.original > test.retrained) return {difference.lower90, difference.upper90};
  return {-difference.upper90, -difference.lower90};
}

bool of_utility(const VerdictTest& test) { return !utility_split(test.metric).empty(); }

Outcome shown_if(bool shown, bool excluded) {
  return shown ? Outcome::shown : excluded ? Outcome::excluded : Outcome::undecided;
}

template <class Condition>
bool every(const std::vector<VerdictTest>& tests, Condition condition) {
  return !tests.empty() && std::all_of(tests.begin(), tests.end(), condition);
}

template <class Condition>
std::vector<VerdictTest> those(const std::vector<VerdictTest>& tests, Condition condition) {
  std::vector<VerdictTest> found;
  std::copy_if(tests.begin(), tests.end(), std::back_inserter(found), condition);
  return found;
}

bool shows(const Verdict& verdict, Leaning leaning) {
  return std::any_of(verdict.tests.begin(), verdict.tests.end(),
                     [leaning](const VerdictTest& test) { return test.shows == leaning; });
}

/// One or two models do not say how much trainings differ in utility: a loss is shown only beyond
/// the margin and once more the margin for each model that three would have more.
double for_few_models(const VerdictTest& test) {
  const Reason& how = test.difference.how;
  if (how.code == Code::by_paired_bootstrap || how.code == Code::by_paired_t) {
    return 2 * test.margin;
  }
  if (how.code != Code::by_examples_and_models) return 0;
  const auto models = [&how](std::string_view side) {
    return static_cast<double>(std::get<std::int64_t>(result::argument(how, side)));
  };
  return std::max(0.0, 3 - std::min(models("left"), models("right"))) * test.margin;
}

bool is_lost(const Verdict& verdict, std::string_view split) {
  return std::any_of(verdict.tests.begin(), verdict.tests.end(), [split](const VerdictTest& test) {
    return test.shows == Leaning::utility_loss && utility_split(test.metric) == split;
  });
}

/// Rows are known better than by retrained models: retain as after more training on them alone.
bool is_gained(const Verdict& verdict, std::string_view split) {
  return std::any_of(verdict.tests.begin(), verdict.tests.end(), [split](const VerdictTest& test) {
    return utility_split(test.metric) == split && test.difference.lower > test.margin;
  });
}

/// What became of rows that should be kept, which metrics of forget rows must be read with.
struct KeptRows {
  bool lost = false;
  bool gained = false;
  /// Rows that nobody saw, where they are the gap to unseen examples: a model that is worse, or
  /// better, on everything is so on forget rows too, and the gap to unseen examples says what is
  /// left beyond that.
  bool unseen_lost = false;
  bool unseen_gained = false;
};

/// Why a test that is certain and large enough does not count all the same; empty: it does.
Reason explained(const VerdictTest& test, const KeptRows& kept) {
  const metrics::MetricInfo* metric = metrics::find_metric(test.metric);
  if (metric != nullptr && metric->speech && metric->speech->against_retain) {
    if (kept.lost && test.side == Leaning::under) {
      return Code::retain_utility_lost;
    }
    if (kept.gained && test.side == Leaning::over) {
      return Code::retain_known_better;
    }
  }
  if (test.unseen) return {};
  if (kept.unseen_lost && test.side == Leaning::over) {
    return Code::unseen_known_less;
  }
  if (kept.unseen_gained && test.side == Leaning::under) {
    return Code::unseen_known_better;
  }
  return {};
}

void read_kind(std::vector<VerdictTest*> tests, double level, const KeptRows& kept,
               const VerdictOptions& options) {
  std::vector<double> p;
  for (const VerdictTest* test : tests) p.push_back(test->difference.p);
  const std::vector<double> adjusted = metrics::holm(p);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    VerdictTest& test = *tests[i];
    test.holm = adjusted[i];
    test.level = level;
    if (!(adjusted[i] < level)) continue;
    if (std::abs(test.difference.estimate) < options.smallest_effect * test.reference_difference) {
      test.not_read = Code::below_smallest_effect;
      continue;
    }
    if (Reason why = explained(test, kept); !why.empty()) {
      test.not_read = std::move(why);
      continue;
    }
    test.shows = test.side;
  }
}

}  // namespace

bool hardly_changed(const Moved& moved) {
  constexpr double kHardly = 0.1;
  return moved.method < kHardly * moved.retrained;
}

bool no_more_than_margin(const VerdictTest& test) { return oriented(test).upper90 < test.margin; }
bool no_less_than_margin(const VerdictTest& test) { return oriented(test).lower90 > -test.margin; }

void read_tests(Verdict& verdict, const VerdictOptions& options) {
  std::vector<VerdictTest*> unseen, others;
  for (VerdictTest& test : verdict.tests) {
    if (of_utility(test)) {
      const bool lost = test.difference.upper < -test.margin - for_few_models(test);
      test.shows = lost ? Leaning::utility_loss : Leaning::none;
    } else {
      (test.unseen ? unseen : others).push_back(&test);
    }
  }
  const bool holdout_gap = !unseen.empty();
  const KeptRows kept{is_lost(verdict, "retain"), is_gained(verdict, "retain"),
                      holdout_gap && is_lost(verdict, "test"),
                      holdout_gap && is_gained(verdict, "test")};
  const bool alone = verdict.form == Form::alone;
  read_kind(unseen, alone ? kSignificance : kOfUnseenRows, kept, options);
  read_kind(others, holdout_gap ? kOfOthers : kSignificance, kept, options);
}

void only_where_signals_agree(Verdict& verdict) {
  std::vector<VerdictTest*> unseen;
  for (VerdictTest& test : verdict.tests) {
    if (test.unseen) unseen.push_back(&test);
  }
  const bool agree = std::all_of(unseen.begin(), unseen.end(), [&](const VerdictTest* test) {
    return test->side == unseen.front()->side && test->difference.p < test->level;
  });
  for (VerdictTest* test : unseen) {
    if (agree || test->shows == Leaning::none) continue;
    test->shows = Leaning::none;
    test->not_read = Code::signals_disagree;
  }
}

namespace {

double observed_loss(const VerdictTest& test) { return -test.difference.estimate; }

/// A loss that would have been missed for want of examples: where all n answers are right, 3 in n
/// may be wrong all the same (the rule of three, Hanley and Lippman-Hand 1983).
double missed_loss(const VerdictTest& test) {
  const metrics::MetricInfo* metric = metrics::find_metric(test.metric);
  if (test.examples == 0 || metric == nullptr || metric->likelihood) return 0;
  return 3 / static_cast<double>(test.examples);
}

/// Utility is kept: the observed loss is within the margin, or within twice the margin and no loss
/// at all is as likely; and a loss of several margins could have been seen.
bool is_kept(const VerdictTest& test) {
  const double lost = observed_loss(test);
  const bool small = lost <= test.margin || (lost <= 2 * test.margin && test.difference.upper >= 0);
  return small && missed_loss(test) <= kLargestLossUnseen * test.margin;
}

Outcome utility_outcome(const Verdict& verdict, const std::vector<VerdictTest>& tests) {
  if (shows(verdict, Leaning::utility_loss)) return Outcome::shown;
  if (tests.empty() || !verdict.utility_missing.empty()) return Outcome::not_tested;
  return shown_if(false, every(tests, [](const VerdictTest& test) { return test.within; }));
}

/// A difference that is certain and lies beyond the margin.
bool beyond(const Verdict& verdict, Leaning leaning) {
  return std::any_of(
      verdict.tests.begin(), verdict.tests.end(),
      [leaning](const VerdictTest& test) { return test.shows == leaning && !test.within; });
}

/// The largest difference that is certain and lies within the margin, as a share of the
/// original-retrained difference.
double measurable(const Verdict& verdict) {
  double largest = metrics::kUndefined;
  for (const VerdictTest& test : verdict.tests) {
    if (!test.within || (test.shows != Leaning::under && test.shows != Leaning::over)) continue;
    const double size = std::abs(test.difference.estimate) / test.reference_difference;
    if (std::isnan(largest) || size > std::abs(largest)) {
      largest = test.shows == Leaning::under ? size : -size;
    }
  }
  return largest;
}

}  // namespace

void decide(Verdict& verdict) {
  const std::vector<VerdictTest> utility = those(verdict.tests, of_utility);
  verdict.utility_loss = utility_outcome(verdict, utility);
  if (verdict.form == Form::none) return;
  verdict.under = shown_if(beyond(verdict, Leaning::under), false);
  verdict.over = shown_if(beyond(verdict, Leaning::over), false);
  if (verdict.form == Form::alone) return;
  verdict.measurable_within_margin = measurable(verdict);
  std::vector<VerdictTest> core =
      those(verdict.tests, [](const VerdictTest& test) { return test.core; });
  // Predictions that are as often right may still be told apart: accuracy alone excludes nothing.
  if (core.size() == 1 && !metrics::find_metric(core.front().metric)->speech->enough) core.clear();
  if (verdict.under != Outcome::shown && every(core, no_more_than_margin)) {
    verdict.under = Outcome::excluded;
  }
  if (verdict.over != Outcome::shown && every(core, no_less_than_margin)) {
    verdict.over = Outcome::excluded;
  }
  const bool differs = verdict.under == Outcome::shown || verdict.over == Outcome::shown;
  const bool lost = verdict.utility_loss == Outcome::shown;
  const bool alike =
      every(core, [](const VerdictTest& test) { return test.within; }) && !verdict.uneven;
  if (differs || lost) {
    verdict.equivalent = Outcome::excluded;
  } else if (alike && !verdict.utility_missing.empty()) {
    // Within the margin on forget examples, but nobody knows what became of the rest.
    verdict.equivalent = Outcome::not_tested;
  } else {
    verdict.equivalent = shown_if(alike && every(utility, is_kept), false);
  }
}

Reason uncertain_utility(const Verdict& verdict) {
  const bool alike = verdict.under == Outcome::excluded && verdict.over == Outcome::excluded;
  if (!alike || verdict.equivalent != Outcome::undecided) return {};
  for (const VerdictTest& test : verdict.tests) {
    if (!of_utility(test) || is_kept(test)) continue;
    if (observed_loss(test) > test.margin) {
      return reason(Code::utility_beyond_margin, test.metric, observed_loss(test), test.margin);
    }
    return reason(Code::utility_too_uncertain, test.metric, missed_loss(test),
                  kLargestLossUnseen * test.margin);
  }
  return {};
}

}  // namespace vestige::audit
