// From verdicts to summary plots.
#include "vestige/report/summary_plot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "vestige/audit/verdicts/speaking.h"
#include "vestige/metrics/family.h"
#include "vestige/study/measure.h"
#include "vestige/words/headline.h"
#include "vestige/words/verdicts.h"

namespace vestige::report {
namespace {

using audit::Verdict;
using audit::VerdictTest;
using audit::Word;

/// What a reader must see first.
int weight(Word word) {
  switch (word) {
    case Word::mixed:
      return 0;
    case Word::traces_remain:
      return 1;
    case Word::over_forgotten:
    case Word::collapsed:
      return 2;
    case Word::not_tested:
      return 3;
    case Word::not_decided:
      return 4;
    case Word::forgotten:
      return 5;
  }
  return 6;
}

std::string upper_case(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return word;
}

SummaryMark mark_of(const VerdictTest& test, std::size_t place) {
  SummaryMark mark{.test = place};
  if (!(test.reference_difference > 0)) return mark;
  double towards = test.original < test.retrained ? -1 : 1;
  // A distance from retrained models grows on both sides; the test says on which the method lies.
  const bool over = towards * test.difference.estimate < 0;
  if ((test.side == audit::Leaning::over && !over) ||
      (test.side == audit::Leaning::under && over)) {
    towards = -towards;
  }
  mark.value = towards * test.difference.estimate / test.reference_difference;
  mark.lower = towards * test.difference.lower / test.reference_difference;
  mark.upper = towards * test.difference.upper / test.reference_difference;
  if (mark.lower > mark.upper) std::swap(mark.lower, mark.upper);
  return mark;
}

SummaryLine line_of(const Verdict& verdict, SummaryPlot& summary) {
  SummaryLine line{.variant = verdict.variant,
                   .method = verdict.method,
                   .word = verdict.word,
                   .reason = words::why(verdict),
                   .hardly_changed = verdict.hardly_changed,
                   .note = words::picture_note(verdict),
                   .control = study::is_control_method(verdict.method)};
  for (const audit::VerdictAddition& one : verdict.additions) {
    if (std::find(line.additions.begin(), line.additions.end(), one.word) == line.additions.end()) {
      line.additions.push_back(one.word);
    }
  }
  for (const VerdictTest& test : verdict.tests) {
    const std::string_view split = audit::utility_split(test.metric);
    if (split == "retain" || split == "test") {
      const metrics::MetricInfo* info = metrics::find_metric(test.metric);
      (split == "retain" ? line.retain : line.test) = {
          .difference = test.difference.estimate,
          .lower = test.difference.lower,
          .upper = test.difference.upper,
          .lost = test.shows == audit::Leaning::utility_loss,
          .likelihood = info != nullptr && info->likelihood};
    }
    // What a destroyed model answers on forget examples says nothing about forgetting.
    if (!test.core || verdict.word == Word::collapsed) continue;
    const auto found = std::find(summary.tests.begin(), summary.tests.end(), test.metric);
    const auto place = static_cast<std::size_t>(found - summary.tests.begin());
    if (found == summary.tests.end()) summary.tests.push_back(test.metric);
    const SummaryMark mark = mark_of(test, place);
    if (!std::isnan(mark.value)) line.marks.push_back(mark);
    if (test.margin > 0 && test.reference_difference > 0) {
      summary.margin = test.margin / test.reference_difference;
      if (test.smallest_effect > 0)
        summary.smallest = test.smallest_effect / test.reference_difference;
    }
  }
  return line;
}

}  // namespace

std::vector<SummaryPlot> summary_plots(const Results& results) {
  std::vector<SummaryPlot> summaries;
  std::map<std::string, std::size_t> variants;
  for (const Verdict& verdict : results.verdicts) {
    const auto [place, fresh] = variants.try_emplace(verdict.variant, summaries.size());
    if (fresh) summaries.emplace_back();
    SummaryPlot& summary = summaries[place->second];
    SummaryLine line = line_of(verdict, summary);
    summary.lines.push_back(std::move(line));
  }
  for (SummaryPlot& summary : summaries) {
    std::stable_sort(summary.lines.begin(), summary.lines.end(),
                     [](const SummaryLine& left, const SummaryLine& right) {
                       if (left.control != right.control) return right.control;
                       return weight(left.word) < weight(right.word);
                     });
  }
  return summaries;
}

words::Judged judged(const std::vector<SummaryPlot>& summaries,
                     const std::vector<Verdict>& verdicts) {
  words::Judged found;
  found.variants = summaries.size() > 1;
  found.controls = !verdicts.empty();
  // A verdict that rests on no test says nothing about whether there is a retrained model.
  const auto alone = [](const Verdict& verdict) { return verdict.form == audit::Form::alone; };
  found.alone = std::any_of(verdicts.begin(), verdicts.end(), alone) &&
                std::all_of(verdicts.begin(), verdicts.end(), [&](const Verdict& verdict) {
                  return alone(verdict) || verdict.form == audit::Form::none;
                });
  for (const SummaryPlot& summary : summaries) {
    for (const SummaryLine& line : summary.lines) {
      if (line.control) continue;
      ++found.methods;
      found.only = line.method;
      ++found.words[line.word];
      if (line.word != Word::forgotten || line.additions.empty()) continue;
      ++found.marked;
      for (const std::string& word : line.additions) {
        const std::string large = upper_case(word);
        if (std::find(found.additions.begin(), found.additions.end(), large) ==
            found.additions.end()) {
          found.additions.push_back(large);
        }
      }
    }
  }
  return found;
}

std::string answer(const std::vector<SummaryPlot>& summaries,
                   const std::vector<Verdict>& verdicts) {
  return words::headline(judged(summaries, verdicts));
}

std::string counted_words(const std::vector<SummaryPlot>& summaries) {
  return words::counts(judged(summaries, {}));
}

Tone tone(const SummaryLine& line) { return line.control ? Tone::control : tone(line.word); }

Tone tone(Word word) {
  switch (word) {
    case Word::traces_remain:
    case Word::mixed:
      return Tone::traces;
    case Word::over_forgotten:
    case Word::collapsed:
      return Tone::over;
    case Word::forgotten:
      return Tone::forgotten;
    case Word::not_decided:
    case Word::not_tested:
      return Tone::open;
  }
  return Tone::open;
}

words::Utility utility_of(const SummaryPlot& summary) {
  const bool language =
      std::any_of(summary.lines.begin(), summary.lines.end(),
                  [](const auto& line) { return line.retain.likelihood || line.test.likelihood; });
  return language ? words::Utility::perplexity : words::Utility::accuracy;
}

std::string shown_word(const SummaryLine& line, std::string_view hardly_changed) {
  std::string word(words::word(line.word));
  for (const std::string& addition : line.additions) word += ", " + upper_case(addition);
  if (line.hardly_changed) word += hardly_changed;
  return line.control ? word + " (control)" : word;
}

std::string plain_name(const std::string& metric) {
  const metrics::MetricInfo* info = metrics::find_metric(metric);
  return info == nullptr || info->name.empty() ? metric : std::string(info->name);
}

const SummaryMark* farthest_mark(const SummaryLine& line) {
  const SummaryMark* found = nullptr;
  for (const SummaryMark& mark : line.marks) {
    if (found == nullptr || std::abs(mark.value) > std::abs(found->value)) found = &mark;
  }
  return found;
}

const Kept& kept_of(const SummaryLine& line) {
  return std::isnan(line.test.difference) ? line.retain : line.test;
}

std::string points_text(const Kept& kept) {
  if (std::isnan(kept.difference)) return "-";
  if (kept.likelihood) {
    const double factor = std::exp(-kept.difference);
    if (factor >= 1e5) return fmt::format("x{:.0e}", factor);
    return factor < 100 ? fmt::format("x{:.2f}", factor) : fmt::format("x{:.0f}", factor);
  }
  const double points = 100 * kept.difference;
  // No "-0.0".
  return fmt::format("{:+.1f} pts", std::abs(points) < 0.05 ? 0.0 : points);
}

}  // namespace vestige::report
