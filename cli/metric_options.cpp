// Metric options on the command line.
#include "cli/metric_options.h"

#include <sstream>
#include <vector>

#include "vestige/audit/metric_options.h"

namespace vestige::cli {
namespace {

std::string check_numbers(const std::string& text) {
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) {
    double ignored = 0;
    if (!CLI::detail::lexical_cast(item, ignored)) return "'" + item + "' is no number";
  }
  return {};
}

}  // namespace

MetricOptions::MetricOptions(CLI::App& verb)
    : values_(std::make_shared<std::map<std::string, std::string>>()) {
  for (const audit::MetricOption& entry : audit::metric_options()) {
    std::string& value = (*values_)[entry.key] = entry.fallback;
    CLI::Option* option = verb.add_option(entry.flag, value, entry.help)->group("Metric options");
    if (!entry.choices.empty()) option->check(CLI::IsMember(entry.choices));
    if (entry.kind == audit::OptionKind::count)
      option->check(CLI::TypeValidator<std::uint32_t>("COUNT"));
    if (entry.kind == audit::OptionKind::number)
      option->check(CLI::TypeValidator<double>("NUMBER"));
    if (entry.kind == audit::OptionKind::numbers)
      option->check(CLI::Validator(check_numbers, "NUMBERS"));
  }
}

Json MetricOptions::json() const {
  Json json = Json::object();
  for (const audit::MetricOption& entry : audit::metric_options()) {
    const std::string& value = values_->at(entry.key);
    if (!value.empty()) json[entry.key] = audit::typed_option(entry, value);
  }
  return json;
}

}  // namespace vestige::cli
