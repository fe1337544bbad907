// Pooling over splits.
#include "vestige/audit/verdicts/pooled_verdicts.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "vestige/audit/verdicts/additions.h"
#include "vestige/audit/verdicts/speaking.h"
#include "vestige/audit/verdicts/verdict_decision.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::audit {
namespace {

using metrics::mean;

constexpr double kNormal = 1.959963984540054;

/// One test of a method, split by split.
using Repeated = std::vector<const VerdictTest*>;

template <class Field>
std::vector<double> fields(const Repeated& tests, Field field) {
  std::vector<double> values;
  for (const VerdictTest* test : tests) values.push_back(field(*test));
  return values;
}

/// Mean over splits with the variance of each split's estimate and of the splits themselves (the
/// random-effects form of DerSimonian and Laird 1986 with equal weights).
Difference pooled(const Repeated& tests) {
  const auto count = static_cast<double>(tests.size());
  const std::vector<double> estimates =
      fields(tests, [](const VerdictTest& test) { return test.difference.estimate; });
  const double own = mean(fields(tests, [](const VerdictTest& test) {
    const double error = (test.difference.upper - test.difference.lower) / (2 * kNormal);
    return error * error;
  }));
  const double between = std::max(0.0, metrics::variance(estimates) - own);
  const double error = std::sqrt((own + between) / count);
  // Satterthwaite: the splits' own errors come from many rows, what splits differ by from few.
  const double degrees = between > 0
                             ? (own + between) * (own + between) * (count - 1) / (between * between)
                             : 1000.0 * count;
  return student_difference(mean(estimates), error, std::min(degrees, 1000.0 * count),
                            reason(Code::by_splits, tests.size(), tests.front()->difference.how));
}

VerdictTest pooled_test(const Repeated& tests) {
  VerdictTest made = *tests.front();
  made.difference = pooled(tests);
  made.method = mean(fields(tests, [](const VerdictTest& test) { return test.method; }));
  made.retrained = mean(fields(tests, [](const VerdictTest& test) { return test.retrained; }));
  made.original = mean(fields(tests, [](const VerdictTest& test) { return test.original; }));
  made.margin = mean(fields(tests, [](const VerdictTest& test) { return test.margin; }));
  made.smallest_effect =
      mean(fields(tests, [](const VerdictTest& test) { return test.smallest_effect; }));
  made.reference_difference =
      mean(fields(tests, [](const VerdictTest& test) { return test.reference_difference; }));
  made.examples = 0;
  for (const VerdictTest* test : tests) made.examples += test->examples;
  made.shows = Leaning::none;
  made.not_read = {};
  const bool utility = !utility_split(made.metric).empty();
  if (utility) {
    made.within = made.difference.lower90 > -made.margin;
    return made;
  }
  const auto under = std::count_if(tests.begin(), tests.end(), [](const VerdictTest* test) {
    return test->side == Leaning::under;
  });
  const metrics::MetricInfo* metric = metrics::find_metric(made.metric);
  const bool distance = metric != nullptr && metric->speech && metric->speech->distance;
  if (distance) {
    made.side =
        2 * under >= static_cast<std::ptrdiff_t>(tests.size()) ? Leaning::under : Leaning::over;
  } else {
    made.side = made.difference.estimate * (made.original - made.retrained) > 0 ? Leaning::under
                                                                                : Leaning::over;
  }
  made.within = no_more_than_margin(made) && (distance || no_less_than_margin(made));
  return made;
}

/// Verdicts that a method has in the splits, those of ruined models too.
std::vector<const Verdict*> of_method(const std::vector<std::vector<Verdict>>& splits,
                                      const std::string& method) {
  std::vector<const Verdict*> found;
  for (const auto& verdicts : splits) {
    for (const Verdict& verdict : verdicts) {
      if (verdict.method == method) found.push_back(&verdict);
    }
  }
  return found;
}

Moved pooled_moved(const std::vector<const Verdict*>& splits) {
  std::vector<double> method, retrained;
  for (const Verdict* verdict : splits) {
    if (std::isnan(verdict->moved.method) || std::isnan(verdict->moved.retrained)) continue;
    method.push_back(verdict->moved.method);
    retrained.push_back(verdict->moved.retrained);
  }
  return {mean(method), mean(retrained)};
}

bool ruined(const Verdict& verdict) { return !verdict.ruin.empty() || !verdict.obstacle.empty(); }

/// The split itself speaks against forgetting, and is no mere lack of power.
bool doubtful(const Verdict& verdict) {
  return ruined(verdict) && verdict.obstacle.code != Code::no_metric_tells_original;
}

/// Which splits were not pooled, and why.
void add_cautions(const std::vector<const Verdict*>& splits, Verdict& made) {
  std::size_t destroyed = 0, untested = 0;
  Reason why;
  for (const Verdict* verdict : splits) {
    if (!verdict->ruin.empty()) {
      ++destroyed;
    } else if (!verdict->obstacle.empty() && ++untested == 1) {
      why = verdict->obstacle;
    }
  }
  if (destroyed > 0) {
    made.cautions.push_back(reason(Code::destroyed_in_splits, destroyed, splits.size()));
  }
  if (untested > 0) {
    made.cautions.push_back(why);
    made.cautions.push_back(reason(Code::found_in_splits, untested, splits.size()));
  }
}

Verdict pool(const std::vector<const Verdict*>& all, const VerdictOptions& options) {
  // A method that is compared with itself in a split says nothing there, and is not ruined.
  std::vector<const Verdict*> splits;
  std::copy_if(all.begin(), all.end(), std::back_inserter(splits),
               [](const Verdict* verdict) { return verdict->same_as.empty(); });
  if (splits.size() < all.size()) {
    Verdict made = splits.empty() ? *all.front() : pool(splits, options);
    made.cautions.push_back(reason(Code::same_in_splits, all.size() - splits.size(), all.size(),
                                   splits.empty() ? 0 : all.size() - splits.size()));
    return made;
  }
  Verdict made = *splits.front();
  if (splits.size() < 2) return made;
  const auto bad = std::find_if(splits.begin(), splits.end(),
                                [](const Verdict* verdict) { return ruined(*verdict); });
  const auto count = std::count_if(splits.begin(), splits.end(),
                                   [](const Verdict* verdict) { return ruined(*verdict); });
  // One split alone is no pool.
  const auto all_splits = static_cast<std::ptrdiff_t>(splits.size());
  if (2 * count > all_splits || all_splits - count < 2) {
    made = **bad;
    made.cautions.push_back(reason(Code::found_in_splits, count, splits.size()));
    return made;
  }
  const auto sound = std::find_if_not(splits.begin(), splits.end(),
                                      [](const Verdict* verdict) { return ruined(*verdict); });
  made = **sound;
  made.tests.clear();
  for (const VerdictTest& test : (*sound)->tests) {
    Repeated same;
    for (const Verdict* verdict : splits) {
      for (const VerdictTest& other : verdict->tests) {
        if (other.metric == test.metric && other.unseen == test.unseen) same.push_back(&other);
      }
    }
    if (same.size() >= 2) made.tests.push_back(pooled_test(same));
  }
  made.moved = pooled_moved(splits);
  made.hardly_changed = hardly_changed(made.moved);
  made.uneven = std::any_of(splits.begin(), splits.end(),
                            [](const Verdict* verdict) { return verdict->uneven; });
  const auto incomplete = std::find_if(splits.begin(), splits.end(), [](const Verdict* verdict) {
    return !verdict->utility_missing.empty();
  });
  made.utility_missing = incomplete == splits.end() ? Reason() : (*incomplete)->utility_missing;
  read_tests(made, options);
  made.signals_must_agree = std::any_of(splits.begin(), splits.end(), [](const Verdict* verdict) {
    return verdict->signals_must_agree;
  });
  if (made.signals_must_agree) only_where_signals_agree(made);
  decide(made);
  made.additions = pooled_additions(splits);
  made.obstacle = made.form == Form::none ? Reason(Code::no_metric_tells_original) : Reason();
  made.ruin = {};
  made.word = verdict_word(made);
  // What is destroyed, or not comparable, in one split is not shown to forget in all of them.
  if (made.word == Word::forgotten &&
      std::any_of(splits.begin(), splits.end(),
                  [](const Verdict* verdict) { return doubtful(*verdict); })) {
    made.equivalent = Outcome::undecided;
    made.word = Word::not_decided;
  }
  add_cautions(splits, made);
  return made;
}

}  // namespace

std::vector<Verdict> pooled_verdicts(const std::vector<std::vector<Verdict>>& splits,
                                     const VerdictOptions& options) {
  std::vector<std::string> methods;
  for (const auto& verdicts : splits) {
    for (const Verdict& verdict : verdicts) {
      if (std::find(methods.begin(), methods.end(), verdict.method) == methods.end()) {
        methods.push_back(verdict.method);
      }
    }
  }
  std::vector<Verdict> pooled;
  for (const std::string& method : methods) {
    pooled.push_back(pool(of_method(splits, method), options));
  }
  return pooled;
}

}  // namespace vestige::audit
