// Tests behind the verdicts.
#include "vestige/audit/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "vestige/audit/controls.h"
#include "vestige/audit/verdict_words.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/stats/multiple_testing.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::audit {
namespace {

using evidence::Evidence;
using evidence::Group;
using metrics::Control;
using metrics::MetricInfo;
using metrics::Row;
using metrics::Status;

constexpr double kSignificance = 0.05;

/// Rows of one metric in one setting, by whose they are.
struct Asked {
  std::vector<const Row*> method;
  std::vector<const Row*> retrained;
  std::vector<const Row*> original;
};

bool belongs(const Row& row, const Group& group) {
  return row.subject.group() == metrics::subject_of(group);
}

/// The first setting in which the method was measured; for pools the one that has a floor, at half
/// the models.
Asked ask(const std::vector<Row>& rows, std::string_view id, const Group& group) {
  Asked asked;
  const Row* first = nullptr;
  for (const Row& row : rows) {
    if (row.metric != id || row.control != Control::none || !belongs(row, group)) continue;
    if (row.settings.contains("setup")) continue;
    const bool halves = row.settings.value("halves", false);
    if (first == nullptr || (halves && !first->settings.value("halves", false))) first = &row;
  }
  if (first == nullptr) return asked;
  const std::string wanted = setting(*first);
  for (const Row& row : rows) {
    if (row.metric != id || setting(row) != wanted) continue;
    if (row.control == Control::none && belongs(row, group)) asked.method.push_back(&row);
    if (std::isnan(row.value)) continue;
    if (row.control == Control::floor) asked.retrained.push_back(&row);
    if (row.control == Control::ceiling) asked.original.push_back(&row);
  }
  return asked;
}

Side side_of(const std::vector<const Row*>& rows) {
  Side side;
  for (const Row* row : rows) {
    // A row of a whole group may bring the values of its models.
    if (row->by_model.empty()) {
      side.values.push_back(row->value);
    } else {
      side.values.insert(side.values.end(), row->by_model.begin(), row->by_model.end());
    }
  }
  if (rows.empty()) return side;
  side.terms = rows.front()->terms;
  side.interval = {rows.front()->value, rows.front()->lower, rows.front()->upper};
  return side;
}

/// A test with what reading it takes.
struct Tested {
  const MetricInfo* metric;
  VerdictTest test;
  Leaning side;  ///< what it shows if the difference is shown
};

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

bool no_more_than_margin(const VerdictTest& test) { return oriented(test).upper90 < test.margin; }
bool no_less_than_margin(const VerdictTest& test) { return oriented(test).lower90 > -test.margin; }

/// facts.above says on which side of retrained a distance lies.
Leaning side_of_distance(const Row& method, const Row& original) {
  const auto above = [](const Row& row) {
    const auto found = row.facts.find("above");
    return found == row.facts.end() || !found->is_number() ? 0.5 : found->get<double>();
  };
  return (above(method) - 0.5) * (above(original) - 0.5) >= 0 ? Leaning::under : Leaning::over;
}

Shown shown_if(bool shown, bool excluded) {
  return shown ? Shown::shown : excluded ? Shown::not_shown : Shown::inconclusive;
}

class Judge {
 public:
  Judge(const Evidence& evidence, const std::vector<Row>& rows, const VerdictOptions& options)
      : evidence_(evidence), rows_(rows), options_(options) {}

  Verdict judge(const Group& group) {
    Verdict verdict;
    verdict.method = group.method;
    verdict.subject = metrics::subject_of(group);
    std::vector<std::string_view> failed;
    if (evidence_.find("retrained") != nullptr) {
      std::vector<Tested> tested;
      for (const MetricInfo* metric : speaking_metrics()) {
        test(*metric, group, tested, failed);
      }
      const std::vector<VerdictTest> utility = utility_tests(group);
      read(tested, std::any_of(utility.begin(), utility.end(), [](const VerdictTest& each) {
             return each.shows == Leaning::utility_loss && utility_split(each.metric) == "retain";
           }));
      for (Tested& each : tested) verdict.tests.push_back(std::move(each.test));
      decide(verdict, utility);
      verdict.tests.insert(verdict.tests.end(), utility.begin(), utility.end());
    }
    write_sentence(verdict, obstacle_to_verdicts(evidence_), options_);
    verdict.cannot = limits(grade(evidence_), failed);
    return verdict;
  }

 private:
  /// Adds a test if the metric passed its controls, else its label to `failed`.
  void test(const MetricInfo& metric, const Group& group, std::vector<Tested>& tested,
            std::vector<std::string_view>& failed) {
    const Asked asked = ask(rows_, metric.id, group);
    if (asked.method.empty() || asked.retrained.empty() || asked.original.empty()) return;
    const auto all = [&asked](auto condition) {
      return std::all_of(asked.method.begin(), asked.method.end(), condition);
    };
    if (!all([](const Row* row) { return !std::isnan(row->value); })) return;
    const metrics::Speech& speech = *metric.speech;
    const Side method = side_of(asked.method), retrained = side_of(asked.retrained),
               original = side_of(asked.original);
    if (speech.over_models && (method.values.size() < 2 || retrained.values.size() < 2)) return;
    // Original against retrained by the very rule that methods are tested by.
    const auto [place, is_new] =
        rooms_.try_emplace(std::string(metric.id) + setting(*asked.method.front()));
    if (is_new) place->second = difference(original, retrained, options_.seed);
    const Difference& room = place->second;
    if (!all([](const Row* row) { return row->status == Status::ok; }) ||
        !(room.p < kSignificance)) {
      failed.push_back(metric.name);
      return;
    }
    VerdictTest made;
    made.metric = metric.id;
    made.difference = difference(method, retrained, options_.seed);
    if (std::isnan(made.difference.p)) return;
    made.method = metrics::mean(method.values);
    made.retrained = metrics::mean(retrained.values);
    made.original = metrics::mean(original.values);
    made.margin = options_.margin * std::abs(made.original - made.retrained);
    made.core = speech.core;
    made.what = "method - retrained: " + made.difference.how;
    const bool towards_original = made.difference.estimate * (made.original - made.retrained) > 0;
    Leaning side = towards_original ? Leaning::under : Leaning::over;
    if (speech.distance) {
      // Nearer to retrained than retrained models are to each other is no finding.
      side = towards_original ? side_of_distance(*asked.method.front(), *asked.original.front())
                              : Leaning::none;
    }
    made.within = no_more_than_margin(made) && (speech.distance || no_less_than_margin(made));
    tested.push_back({&metric, std::move(made), side});
  }

  /// Holm over all metrics of the method, then the side of each difference that is shown.
  void read(std::vector<Tested>& tested, bool retain_lost) const {
    std::vector<double> p;
    for (const Tested& each : tested) p.push_back(each.test.difference.p);
    const std::vector<double> adjusted = metrics::holm(p);
    for (std::size_t i = 0; i < tested.size(); ++i) {
      VerdictTest& test = tested[i].test;
      test.holm = adjusted[i];
      if (!(adjusted[i] < kSignificance)) continue;
      if (tested[i].metric->speech->against_retain && retain_lost &&
          tested[i].side == Leaning::under) {
        test.what += "; not read as traces, because accuracy on retain rows is lost";
        continue;
      }
      test.shows = tested[i].side;
    }
  }

  std::vector<VerdictTest> utility_tests(const Group& group) const {
    std::vector<VerdictTest> tests;
    for (const MetricInfo* metric : utility_metrics()) {
      const Asked asked = ask(rows_, metric->id, group);
      const Side ours = side_of(asked.method), theirs = side_of(asked.retrained);
      if (ours.values.empty() || theirs.values.empty()) continue;
      VerdictTest test;
      test.metric = metric->id;
      test.difference = difference(ours, theirs, options_.seed);
      if (std::isnan(test.difference.p)) continue;
      test.method = metrics::mean(ours.values);
      test.retrained = metrics::mean(theirs.values);
      test.margin = options_.utility_margin;
      test.within = test.difference.lower90 > -test.margin;
      if (test.difference.upper < -test.margin) test.shows = Leaning::utility_loss;
      test.what =
          "method - retrained, a loss if all of it is below -margin: " + test.difference.how;
      tests.push_back(std::move(test));
    }
    return tests;
  }

  /// From the tests of forgetting and of utility to the four answers.
  void decide(Verdict& verdict, const std::vector<VerdictTest>& utility) const {
    const auto any = [](const std::vector<VerdictTest>& tests, auto condition) {
      return std::any_of(tests.begin(), tests.end(), condition);
    };
    const auto all = [](const std::vector<VerdictTest>& tests, auto condition) {
      return !tests.empty() && std::all_of(tests.begin(), tests.end(), condition);
    };
    const auto shows = [](Leaning finding) {
      return [finding](const VerdictTest& test) { return test.shows == finding; };
    };
    std::vector<VerdictTest> core;
    std::copy_if(verdict.tests.begin(), verdict.tests.end(), std::back_inserter(core),
                 [](const VerdictTest& test) { return test.core; });
    // Predictions that are as often right may still be told apart: accuracy alone excludes nothing.
    if (core.size() == 1 && !metrics::find_metric(core.front().metric)->speech->enough)
      core.clear();
    const bool lost = any(utility, shows(Leaning::utility_loss));
    verdict.under =
        shown_if(any(verdict.tests, shows(Leaning::under)), all(core, no_more_than_margin));
    verdict.over =
        shown_if(any(verdict.tests, shows(Leaning::over)), all(core, no_less_than_margin));
    verdict.utility_loss =
        shown_if(lost, all(utility, [](const VerdictTest& test) { return test.within; }));
    const bool beyond = any(verdict.tests, [](const VerdictTest& test) {
      return test.holm < kSignificance && !test.within;
    });
    const bool within = all(core, [](const VerdictTest& test) { return test.within; });
    verdict.equivalent = shown_if(within && !beyond && !lost, beyond || lost);
  }

  const Evidence& evidence_;
  const std::vector<Row>& rows_;
  VerdictOptions options_;
  std::map<std::string, Difference> rooms_;  ///< original - retrained by metric and setting
};

}  // namespace

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

std::string_view name(Leaning finding) {
  switch (finding) {
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

const metrics::OptionTable<VerdictOptions>& verdict_option_table() {
  using Settings = VerdictOptions;
  static const metrics::OptionTable<Settings> table =
      metrics::OptionTable<Settings>("verdict")
          .number(
              "margin", "Equivalence margin, as a share of the distance from original to retrained",
              [](Settings & s) -> auto& { return s.margin; }, metrics::between(0, 1))
          .number(
              "utility_margin",
              "Accuracy that may be lost on retain and test before it counts as utility loss",
              [](Settings & s) -> auto& { return s.utility_margin; }, metrics::between(0, 1));
  return table;
}

VerdictOptions verdict_options(const Json& options, std::uint64_t seed) {
  VerdictOptions result = verdict_option_table().read(options);
  result.seed = seed;
  return result;
}

std::vector<Verdict> verdicts(const Evidence& evidence, const std::vector<Row>& rows,
                              const VerdictOptions& options) {
  std::vector<Verdict> result;
  Judge judge(evidence, rows, options);
  for (const Group* group : evidence.unlearned()) result.push_back(judge.judge(*group));
  return result;
}

}  // namespace vestige::audit
