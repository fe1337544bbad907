// Rules that turn tests into answers.
#include "vestige/audit/verdict_decision.h"

#include <algorithm>
#include <cmath>

#include "vestige/audit/verdict_words.h"
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

Shown shown_if(bool shown, bool excluded) {
  return shown ? Shown::shown : excluded ? Shown::not_shown : Shown::inconclusive;
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
  /// Rows that nobody saw, where they are the yardstick: a model that is worse, or better, on
  /// everything is so on forget rows too, and the yardstick says what is left beyond that.
  bool unseen_lost = false;
  bool unseen_gained = false;
};

/// Why a test that is certain and large enough is not read all the same; empty: it is.
std::string_view explained(const VerdictTest& test, const KeptRows& kept) {
  const metrics::MetricInfo* metric = metrics::find_metric(test.metric);
  if (metric != nullptr && metric->speech && metric->speech->against_retain) {
    if (kept.lost && test.side == Leaning::under) {
      return "not read as traces, because accuracy on retain rows is lost";
    }
    if (kept.gained && test.side == Leaning::over) {
      return "not read as over-forgetting, because retain rows are known better than by retrained";
    }
  }
  if (test.unseen) return {};
  if (kept.unseen_lost && test.side == Leaning::over) {
    return "not read as over-forgetting, because rows that nobody saw are known less well too";
  }
  if (kept.unseen_gained && test.side == Leaning::under) {
    return "not read as traces, because rows that nobody saw are known better too";
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
    if (std::abs(test.difference.estimate) < options.smallest_effect * test.room) {
      test.what += "; smaller than the declared smallest effect";
      continue;
    }
    if (const std::string_view why = explained(test, kept); !why.empty()) {
      test.what += "; ";
      test.what += why;
      continue;
    }
    test.shows = test.side;
  }
}

}  // namespace

bool no_more_than_margin(const VerdictTest& test) { return oriented(test).upper90 < test.margin; }
bool no_less_than_margin(const VerdictTest& test) { return oriented(test).lower90 > -test.margin; }

void read_tests(Verdict& verdict, const VerdictOptions& options) {
  std::vector<VerdictTest*> unseen, others;
  for (VerdictTest& test : verdict.tests) {
    if (of_utility(test)) {
      test.shows = test.difference.upper < -test.margin ? Leaning::utility_loss : Leaning::none;
    } else {
      (test.unseen ? unseen : others).push_back(&test);
    }
  }
  const bool yardstick = !unseen.empty();
  const KeptRows kept{is_lost(verdict, "retain"), is_gained(verdict, "retain"),
                      yardstick && is_lost(verdict, "test"),
                      yardstick && is_gained(verdict, "test")};
  const bool alone = verdict.form == Form::alone;
  read_kind(unseen, alone ? kSignificance : kOfUnseenRows, kept, options);
  read_kind(others, yardstick ? kOfOthers : kSignificance, kept, options);
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
    test->what +=
        "; not read, because other signals do not show it: unseen rows are of persons or kinds "
        "that models know better";
  }
}

void decide(Verdict& verdict, bool uneven) {
  verdict.under = shown_if(shows(verdict, Leaning::under), false);
  verdict.over = shown_if(shows(verdict, Leaning::over), false);
  if (verdict.form == Form::alone) return;
  std::vector<VerdictTest> core =
      those(verdict.tests, [](const VerdictTest& test) { return test.core; });
  // Predictions that are as often right may still be told apart: accuracy alone excludes nothing.
  if (core.size() == 1 && !metrics::find_metric(core.front().metric)->speech->enough) core.clear();
  const std::vector<VerdictTest> utility = those(verdict.tests, of_utility);
  const bool lost = shows(verdict, Leaning::utility_loss);
  const auto within = [](const VerdictTest& test) { return test.within; };
  if (verdict.under != Shown::shown && every(core, no_more_than_margin)) {
    verdict.under = Shown::not_shown;
  }
  if (verdict.over != Shown::shown && every(core, no_less_than_margin)) {
    verdict.over = Shown::not_shown;
  }
  verdict.utility_loss = shown_if(lost, every(utility, within));
  const bool beyond =
      std::any_of(verdict.tests.begin(), verdict.tests.end(), [](const VerdictTest& test) {
        return (test.shows == Leaning::under || test.shows == Leaning::over) && !test.within;
      });
  verdict.equivalent = shown_if(every(core, within) && !beyond && !lost && !uneven, beyond || lost);
}

}  // namespace vestige::audit
