// A comparison as text and JSON.
#include <fmt/format.h>

#include "vestige/practice/compare.h"
#include "vestige/result/codec.h"
#include "vestige/words/verdicts.h"
#include "vestige/words/words.h"

namespace vestige::practice {
namespace {

using result::Code;
using result::reason;

constexpr std::size_t kMostLines = 15;

std::string place_of(const std::string& variant, const std::string& name) {
  return variant.empty() ? name : variant + "/" + name;
}

std::string settings_text(const Json& settings) {
  return settings.empty() ? ""
                          : " " + settings.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A heading and at most so many lines.
std::string block(const std::string& heading, const result::Reasons& lines) {
  if (lines.empty()) return {};
  std::string text = heading + "\n";
  for (std::size_t place = 0; place < lines.size() && place < kMostLines; ++place) {
    text += "  " + words::text(lines[place]) + "\n";
  }
  if (lines.size() > kMostLines) {
    text += "  " + words::text(reason(Code::more_in_json, lines.size() - kMostLines)) + "\n";
  }
  return text;
}

std::string word_or_none(const std::optional<result::Word>& word) {
  return word ? words::word(*word) : std::string();
}

result::Reason line_of(const ChangedVerdict& own) {
  result::Reasons answers;
  for (const ChangedAnswer& answer : own.answers) {
    answers.push_back(reason(Code::answer_changed, result::name(answer.question),
                             result::name(answer.before), result::name(answer.after)));
  }
  return reason(Code::verdict_changed, place_of(own.variant, own.method), word_or_none(own.before),
                word_or_none(own.after), answers);
}

result::Reason line_of(const MovedValue& own) {
  return reason(Code::value_moved, place_of(own.variant, own.subject),
                own.metric + settings_text(own.settings), own.before, own.after);
}

result::Reason line_of(const ChangedStatus& own) {
  return reason(Code::status_changed, place_of(own.variant, own.subject), own.metric,
                result::name(own.before), result::name(own.after), own.notes);
}

template <typename Changes>
result::Reasons lines_of(const Changes& changes) {
  result::Reasons lines;
  for (const auto& own : changes) lines.push_back(line_of(own));
  return lines;
}

}  // namespace

Json comparison_json(const Comparison& comparison) {
  Json json = result::json_of(comparison);
  words::add_texts(json);
  return json;
}

std::string comparison_text(const Comparison& comparison) {
  std::string text = fmt::format("{} -> {}\n", comparison.before, comparison.after);
  const auto line = [&text](const result::Reason& said) { text += words::text(said) + "\n"; };
  if (comparison.verdicts.empty()) line(Code::no_verdict_changed);
  text += block("Changed verdicts", lines_of(comparison.verdicts));
  if (!comparison.verdicts.empty()) {
    const std::vector<std::string> worse = comparison.worse();
    line(worse.empty() ? reason(Code::no_verdict_worse) : reason(Code::verdicts_worse, worse));
  }
  if (comparison.seed_alone) {
    line(reason(Code::seed_alone, std::to_string(comparison.seed_before),
                std::to_string(comparison.seed_after)));
  }
  line(reason(Code::values_moved, comparison.moved.size(), comparison.compared));
  text += block("Largest change first", lines_of(comparison.moved));
  if (!comparison.by_seed.empty()) {
    line(reason(Code::values_by_seed, comparison.by_seed.size()));
    // Of a seed alone nothing is worth reading one by one.
    if (!comparison.seed_alone) {
      text += block("May be due to the seed", lines_of(comparison.by_seed));
    }
  }
  if (comparison.without > 0 && comparison.other_seed()) {
    line(reason(Code::values_not_compared, comparison.without));
  } else if (comparison.without > 0) {
    line(reason(Code::values_without_changed, comparison.without_changed.size(),
                comparison.without));
    text += block("Without an interval", lines_of(comparison.without_changed));
  }
  if (comparison.only_before + comparison.only_after > 0) {
    line(reason(Code::values_in_one_only, comparison.only_before, comparison.only_after));
  }
  text += block("Changed status", lines_of(comparison.statuses));
  if (comparison.inputs.empty()) line(reason(Code::inputs_equal, comparison.same_inputs));
  text += block("Changed inputs", comparison.inputs);
  return text + block("Other changes", comparison.circumstances);
}

}  // namespace vestige::practice
