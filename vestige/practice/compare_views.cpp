// A comparison as text and JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "vestige/practice/compare.h"

namespace vestige::practice {
namespace {

constexpr std::size_t kMostLines = 15;

std::string place_of(const std::string& arm, const std::string& name) {
  return arm.empty() ? name : arm + "/" + name;
}

std::string settings_text(const Json& settings) {
  return settings.empty() ? ""
                          : " " + settings.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string or_none(const std::string& word) { return word.empty() ? "not there" : word; }

/// A heading and at most so many lines.
std::string block(const std::string& heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string text = heading + "\n";
  for (std::size_t place = 0; place < lines.size() && place < kMostLines; ++place) {
    text += "  " + lines[place] + "\n";
  }
  if (lines.size() > kMostLines) {
    text += fmt::format("  and {} more: --json has all\n", lines.size() - kMostLines);
  }
  return text;
}

}  // namespace

Json comparison_json(const Comparison& comparison) {
  Json json = {{"before", comparison.before}, {"after", comparison.after}};
  json["verdicts"] = Json::array();
  for (const ChangedVerdict& own : comparison.verdicts) {
    json["verdicts"].push_back({{"arm", own.arm},
                                {"method", own.method},
                                {"before", own.before},
                                {"after", own.after},
                                {"answers", own.answers}});
  }
  json["moved"] = Json::array();
  for (const MovedValue& own : comparison.moved) {
    json["moved"].push_back({{"arm", own.arm},
                             {"metric", own.metric},
                             {"subject", own.subject},
                             {"settings", own.settings},
                             {"before", json_number(own.before)},
                             {"after", json_number(own.after)},
                             {"half_widths", json_number(own.distance)}});
  }
  json["statuses"] = Json::array();
  for (const ChangedStatus& own : comparison.statuses) {
    json["statuses"].push_back({{"arm", own.arm},
                                {"metric", own.metric},
                                {"subject", own.subject},
                                {"before", own.before},
                                {"after", own.after},
                                {"note", own.note}});
  }
  json["inputs"] = comparison.inputs;
  json["circumstances"] = comparison.circumstances;
  json["compared"] = comparison.compared;
  json["without_interval"] = comparison.without;
  json["only_before"] = comparison.only_before;
  json["only_after"] = comparison.only_after;
  json["same_inputs"] = comparison.same_inputs;
  return json;
}

std::string comparison_text(const Comparison& comparison) {
  std::vector<std::string> verdicts, moved, statuses;
  for (const ChangedVerdict& own : comparison.verdicts) {
    verdicts.push_back(fmt::format(
        "{}: {} -> {}{}", place_of(own.arm, own.method), or_none(own.before), or_none(own.after),
        own.answers.empty() ? "" : fmt::format(" ({})", fmt::join(own.answers, "; "))));
  }
  for (const MovedValue& own : comparison.moved) {
    moved.push_back(fmt::format("{} {}{}: {:.4g} -> {:.4g}", place_of(own.arm, own.subject),
                                own.metric, settings_text(own.settings), own.before, own.after));
  }
  for (const ChangedStatus& own : comparison.statuses) {
    statuses.push_back(fmt::format("{} {}: {} -> {}{}", place_of(own.arm, own.subject), own.metric,
                                   own.before, own.after,
                                   own.note.empty() ? "" : " (" + own.note + ")"));
  }
  std::string text = fmt::format("{} -> {}\n", comparison.before, comparison.after);
  text += verdicts.empty() ? "no verdict changed\n" : block("verdicts that changed", verdicts);
  text += fmt::format("{} of {} numbers with intervals lie outside each other's interval\n",
                      comparison.moved.size(), comparison.compared);
  text += block("farthest first", moved);
  if (comparison.without > 0) {
    text += fmt::format("{} numbers have no interval: nothing is said about them\n",
                        comparison.without);
  }
  if (comparison.only_before + comparison.only_after > 0) {
    text += fmt::format("{} numbers are only in the earlier one, {} only in the later one\n",
                        comparison.only_before, comparison.only_after);
  }
  text += block("numbers that became reliable, unreliable or undefined", statuses);
  text += comparison.inputs.empty()
              ? fmt::format("all {} inputs have the same bytes\n", comparison.same_inputs)
              : block("inputs that changed", comparison.inputs);
  return text + block("what else changed", comparison.circumstances);
}

}  // namespace vestige::practice
