// vestige metrics [ID]: what can be measured, from the metric groups' own declarations.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/base/json.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/nearest_metric.h"

namespace vestige::cli {
namespace {

using metrics::Family;
using metrics::MetricInfo;

std::string direction_text(const MetricInfo& metric) {
  std::string text;
  switch (metric.direction) {
    case metrics::Direction::lower:
      text = "lower is better";
      break;
    case metrics::Direction::higher:
      text = "higher is better";
      break;
    case metrics::Direction::match:
      text = "should match retrained";
      break;
  }
  if (!std::isnan(metric.ideal)) text += fmt::format("; ideal {:g}", metric.ideal);
  return text;
}

std::string explained(const MetricInfo& metric) {
  std::string text = fmt::format("{}\n  {}: {}\n  {}\n", metric.id, metric.name, metric.what,
                                 direction_text(metric));
  text += metric.shows_forgetting
              ? "  a control asks on every evidence whether it tells original from retrained\n"
              : "";
  if (metric.speech) {
    text += fmt::format("  in verdicts: \"{}\" or \"{}\"{}\n", metric.speech->under,
                        metric.speech->over,
                        metric.speech->core ? "; equivalence must hold on it" : "");
  }
  return text;
}

std::string explained(const Family& family) {
  std::string text = fmt::format("{}: {}\n\n", family.name, family.summary);
  for (const MetricInfo& metric : family.metrics) text += explained(metric);
  if (!family.options.empty()) text += "\noptions of vestige audit\n";
  for (const metrics::Option& option : family.options) {
    text += fmt::format("  {}{}\n      {}\n", option.flag(),
                        option.fallback.is_null() ? "" : " (" + option.fallback.dump() + ")",
                        option.help);
  }
  for (const std::string_view companion : family.companions) {
    text += fmt::format("\n--metrics {} brings {} along.\n", family.name, companion);
  }
  return text;
}

std::string list() {
  std::string text;
  for (const Family& family : metrics::families()) {
    text += fmt::format("{:<14} {}\n", family.name, family.summary);
    for (const MetricInfo& metric : family.metrics) {
      text += fmt::format("  {:<32} {}\n", metric.id, metric.what);
    }
  }
  return text + "\nvestige metrics NAME explains a metric group or an id.\n";
}

Json json_of(const MetricInfo& metric) {
  return {{"id", metric.id},
          {"name", metric.name},
          {"what", metric.what},
          {"direction", metrics::name(metric.direction)},
          {"ideal", json_number(metric.ideal)},
          {"shows_forgetting", metric.shows_forgetting},
          {"in_verdicts", metric.speech.has_value()}};
}

Json json_of(const Family& family) {
  Json metrics_list = Json::array(), options = Json::array();
  for (const MetricInfo& metric : family.metrics) metrics_list.push_back(json_of(metric));
  for (const metrics::Option& option : family.options) {
    options.push_back({{"key", option.key},
                       {"flag", option.flag()},
                       {"default", option.fallback},
                       {"help", option.help},
                       {"choices", option.choices}});
  }
  return {{"group", family.name},
          {"summary", family.summary},
          {"metrics", metrics_list},
          {"options", options}};
}

/// A metric group, an id, or the beginning of ids; InputError with the nearest otherwise.
std::string explain(const std::string& name) {
  std::string text;
  for (const Family& family : metrics::families()) {
    if (family.name == name) return explained(family);
    for (const MetricInfo& metric : family.metrics) {
      if (metric.id == name || metric.id.starts_with(name + ".")) text += explained(metric);
    }
  }
  const std::string now = metrics::renamed(name);
  require(!text.empty() || now.empty(), "{} is called {} now", name, now);
  require(!text.empty(), "there is no metric \"{}\"; the nearest is \"{}\"", name,
          metrics::nearest_metric(name));
  return text;
}

}  // namespace

void add_metrics(CLI::App& app, Invocation&) {
  struct Options {
    std::string name;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("metrics", "List and explain what can be measured");
  verb->add_option("NAME", options->name,
                   "A metric group, an id or its beginning (default: list all)");
  verb->add_flag("--json", options->json, kJsonText);
  verb->callback([options] {
    if (!options->json) {
      fmt::print("{}", options->name.empty() ? list() : explain(options->name));
      return;
    }
    Json all = Json::array();
    for (const Family& family : metrics::families()) {
      if (options->name.empty() || family.name == options->name) all.push_back(json_of(family));
    }
    require(!all.empty(),
            "there is no metric group \"{}\": --json takes the name of a group, or none",
            options->name);
    fmt::print("{}\n", all.dump(1));
  });
}

}  // namespace vestige::cli
