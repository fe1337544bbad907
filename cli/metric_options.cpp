// Metric options on the command line.
#include "cli/metric_options.h"

#include <fmt/format.h>

#include "vestige/audit/metric_options.h"
#include "vestige/base/error.h"

namespace vestige::cli {
namespace {

/// A default as people would type it.
std::string typed(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Json& item : value) text += (text.empty() ? "" : ",") + item.dump();
  return text;
}

const char* type_name(metrics::OptionKind kind) {
  switch (kind) {
    case metrics::OptionKind::text:
      return "TEXT";
    case metrics::OptionKind::count:
      return "COUNT";
    case metrics::OptionKind::number:
      return "NUMBER";
    case metrics::OptionKind::numbers:
      return "NUMBERS";
  }
  return "";
}

/// Why the text is no value of the option; empty if it is one. The flag stands before it already.
std::string problem(const metrics::Option& option, const std::string& text) {
  try {
    const std::string why = metrics::misfit(option, metrics::parse_option(option, text));
    return why.empty() ? why : fmt::format("{}: {}", text, why);
  } catch (const InputError& error) {
    return std::string(error.what()).substr(option.flag().size() + 1);
  }
}

}  // namespace

MetricOptions::MetricOptions(CLI::App& verb)
    : values_(std::make_shared<std::map<std::string, std::string>>()) {
  for (const metrics::Option& entry : audit::metric_options()) {
    std::string& value = (*values_)[entry.key];
    CLI::Option* option = verb.add_option(entry.flag(), value, entry.help);
    option->group("Metric options")->type_name(type_name(entry.kind));
    if (!entry.fallback.is_null()) option->default_str(typed(entry.fallback));
    if (entry.choices.empty()) {
      option->check([entry](const std::string& text) { return problem(entry, text); }, "");
    } else {
      option->check(CLI::IsMember(entry.choices));
    }
  }
}

Json MetricOptions::json() const {
  Json json = Json::object();
  for (const metrics::Option& entry : audit::metric_options()) {
    const std::string& value = values_->at(entry.key);
    if (!value.empty()) json[entry.key] = metrics::parse_option(entry, value);
  }
  return audit::checked_options(json, "command line");
}

}  // namespace vestige::cli
