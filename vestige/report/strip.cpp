// From verdicts to strips.
#include "vestige/report/strip.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "vestige/audit/verdict_words.h"
#include "vestige/metrics/family.h"

namespace vestige::report {
namespace {

using audit::Verdict;
using audit::VerdictTest;
using audit::Word;

/// What a reader must see first.
int weight(Word word) {
  switch (word) {
    case Word::traces_and_over:
      return 0;
    case Word::traces:
      return 1;
    case Word::over:
      return 2;
    case Word::no_verdict:
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

/// Methods of the lab that are no attempts: nothing done, and the model destroyed.
bool is_control(const std::string& method) { return method == "identity" || method == "collapse"; }

StripMark mark_of(const VerdictTest& test, std::size_t place) {
  StripMark mark{.test = place};
  if (!(test.room > 0)) return mark;
  const double towards = test.original < test.retrained ? -1 : 1;
  mark.value = towards * test.difference.estimate / test.room;
  mark.lower = towards * test.difference.lower / test.room;
  mark.upper = towards * test.difference.upper / test.room;
  if (mark.lower > mark.upper) std::swap(mark.lower, mark.upper);
  return mark;
}

StripLine line_of(const Verdict& verdict, Strip& strip) {
  StripLine line{.arm = verdict.arm,
                 .method = verdict.method,
                 .word = verdict.word,
                 .reason = verdict.reason,
                 .control = is_control(verdict.method)};
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
    if (!test.core) continue;
    const auto found = std::find(strip.tests.begin(), strip.tests.end(), test.metric);
    const auto place = static_cast<std::size_t>(found - strip.tests.begin());
    if (found == strip.tests.end()) strip.tests.push_back(test.metric);
    const StripMark mark = mark_of(test, place);
    if (!std::isnan(mark.value)) line.marks.push_back(mark);
    if (test.margin > 0 && test.room > 0) strip.margin = test.margin / test.room;
  }
  return line;
}

}  // namespace

std::vector<Strip> strips_of(const Results& results) {
  std::vector<Strip> strips;
  std::map<std::string, std::size_t> arms;
  for (const Verdict& verdict : results.verdicts) {
    const auto [place, fresh] = arms.try_emplace(verdict.arm, strips.size());
    if (fresh) strips.emplace_back();
    Strip& strip = strips[place->second];
    StripLine line = line_of(verdict, strip);
    strip.lines.push_back(std::move(line));
  }
  for (Strip& strip : strips) {
    std::stable_sort(strip.lines.begin(), strip.lines.end(),
                     [](const StripLine& left, const StripLine& right) {
                       if (left.control != right.control) return right.control;
                       return weight(left.word) < weight(right.word);
                     });
  }
  return strips;
}

std::string answer(const std::vector<Strip>& strips, const std::vector<Verdict>& verdicts) {
  std::vector<const StripLine*> lines;
  for (const Strip& strip : strips) {
    for (const StripLine& line : strip.lines) {
      if (!line.control) lines.push_back(&line);
    }
  }
  if (lines.empty()) {
    return verdicts.empty() ? "No method was judged" : "Only controls were judged";
  }
  const auto count = [&](Word word) {
    return std::count_if(lines.begin(), lines.end(),
                         [word](const StripLine* line) { return line->word == word; });
  };
  const auto all = static_cast<std::ptrdiff_t>(lines.size());
  const std::string methods = fmt::format("{} {}", all,
                                          all == 1            ? "method"
                                          : strips.size() > 1 ? "methods and arms"
                                                              : "methods");
  const bool alone = std::all_of(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) {
    return verdict.form == audit::Form::alone || verdict.form == audit::Form::none;
  });
  if (alone && count(Word::no_verdict) < all) {
    const std::ptrdiff_t traces = count(Word::traces) + count(Word::traces_and_over);
    if (traces == 0) return fmt::format("No trace found in {}, which is not proof", methods);
    return all == 1 ? fmt::format("Traces remain in {}", lines.front()->method)
                    : fmt::format("Traces remain in {} of {}", traces, methods);
  }
  const std::ptrdiff_t forgotten = count(Word::forgotten);
  // What is forgotten as it stands and comes back is no good news.
  std::vector<std::string> marked;
  std::ptrdiff_t more = 0;
  for (const StripLine* line : lines) {
    if (line->word != Word::forgotten || line->additions.empty()) continue;
    ++more;
    for (const std::string& word : line->additions) {
      if (const std::string large = upper_case(word);
          std::find(marked.begin(), marked.end(), large) == marked.end()) {
        marked.push_back(large);
      }
    }
  }
  if (all == 1) {
    const std::string& method = lines.front()->method;
    if (forgotten == 0) return fmt::format("{} is not shown to forget like retraining", method);
    return fmt::format("{} is shown to forget like retraining{}", method,
                       more == 0 ? "" : fmt::format(", but is marked {}", fmt::join(marked, ", ")));
  }
  const std::string but = more == 0
                              ? ""
                              : fmt::format(", but {} of them {} marked {}", more,
                                            more == 1 ? "is" : "are", fmt::join(marked, ", "));
  if (forgotten == 0) return fmt::format("None of {} is shown to forget like retraining", methods);
  if (forgotten == all) {
    return fmt::format("All {} are shown to forget like retraining{}", methods, but);
  }
  return fmt::format("{} of {} {} shown to forget like retraining{}", forgotten, methods,
                     forgotten == 1 ? "is" : "are", but);
}

std::string counted_words(const std::vector<Strip>& strips) {
  std::map<int, std::pair<Word, int>> counts;
  for (const Strip& strip : strips) {
    for (const StripLine& line : strip.lines) {
      if (line.control) continue;
      auto& [word, count] = counts.try_emplace(weight(line.word), line.word, 0).first->second;
      ++count;
    }
  }
  std::vector<std::string> parts;
  for (const auto& [order, entry] : counts) {
    std::string word(audit::name(entry.first));
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    parts.push_back(fmt::format("{} {}", entry.second, word));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string_view tone(const StripLine& line) {
  if (line.control) return "control";
  switch (line.word) {
    case Word::traces:
    case Word::traces_and_over:
      return "traces";
    case Word::over:
      return "over";
    case Word::forgotten:
      return "forgotten";
    case Word::not_decided:
    case Word::no_verdict:
      return "open";
  }
  return "open";
}

std::string shown_word(const StripLine& line) {
  std::string word(audit::name(line.word));
  for (const std::string& addition : line.additions) word += ", " + upper_case(addition);
  return line.control ? word + " (control)" : word;
}

std::string plain_name(const std::string& metric) {
  const metrics::MetricInfo* info = metrics::find_metric(metric);
  return info == nullptr || info->name.empty() ? metric : std::string(info->name);
}

const StripMark* farthest_mark(const StripLine& line) {
  const StripMark* found = nullptr;
  for (const StripMark& mark : line.marks) {
    if (found == nullptr || std::abs(mark.value) > std::abs(found->value)) found = &mark;
  }
  return found;
}

const Kept& kept_of(const StripLine& line) {
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
