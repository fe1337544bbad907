// Checking and reading option values.
#include "vestige/metrics/options.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "vestige/base/text.h"

namespace vestige::metrics {
namespace {

/// More rows, models or draws than any machine holds.
constexpr double kMostCount = 1e9;

bool is_count(const Json& value) {
  return value.is_number_integer() &&
         (value.is_number_unsigned() || value.get<std::int64_t>() >= 0);
}

bool is_finite_number(const Json& value) {
  return value.is_number() && std::isfinite(value.get<double>());
}

double parse_number(const Option& option, const std::string& text) {
  std::size_t end = 0;
  double value = 0;
  try {
    value = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  require(end > 0 && end == text.size(), "{} {}: it must be a number", option.flag(), text);
  return value;
}

}  // namespace

std::string Option::flag() const {
  std::string text = "--" + key;
  std::replace(text.begin(), text.end(), '.', '-');
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

std::string misfit(const Option& option, const Json& value) {
  switch (option.kind) {
    case OptionKind::text:
      if (!value.is_string()) return "it must be a text";
      if (!option.choices.empty() && std::find(option.choices.begin(), option.choices.end(),
                                               value.get<std::string>()) == option.choices.end()) {
        return "the nearest choice is " + nearest(value.get<std::string>(), option.choices);
      }
      break;
    case OptionKind::count:
      if (!is_count(value)) return "it must be a whole number, 0 or more";
      if (value.get<double>() > kMostCount) return "it must be at most 1000000000";
      break;
    case OptionKind::number:
      if (!is_finite_number(value)) return "it must be a number";
      break;
    case OptionKind::numbers:
      if (!value.is_array() || !std::all_of(value.begin(), value.end(), is_finite_number)) {
        return "it must be a list of numbers";
      }
      break;
  }
  return option.refuse ? option.refuse(value) : std::string();
}

Json parse_option(const Option& option, const std::string& text) {
  switch (option.kind) {
    case OptionKind::text:
      return text;
    case OptionKind::count: {
      const double value = parse_number(option, text);
      require(value >= 0 && value == std::floor(value) && value < 9e15,
              "{} {}: it must be a whole number, 0 or more", option.flag(), text);
      return static_cast<std::uint64_t>(value);
    }
    case OptionKind::number:
      return parse_number(option, text);
    case OptionKind::numbers:
      break;
  }
  Json list = Json::array();
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) {
    list.push_back(parse_number(option, item));
  }
  return list;
}

std::function<std::string(const Json&)> at_least(double least) {
  return [least](const Json& value) {
    return value.get<double>() >= least ? "" : fmt::format("it must be at least {:g}", least);
  };
}

std::function<std::string(const Json&)> above(double bound) {
  return [bound](const Json& value) {
    return value.get<double>() > bound ? "" : fmt::format("it must be above {:g}", bound);
  };
}

std::function<std::string(const Json&)> between(double low, double high) {
  return [low, high](const Json& value) {
    const auto number = value.get<double>();
    return number > low && number < high
               ? ""
               : fmt::format("it must lie between {:g} and {:g}", low, high);
  };
}

}  // namespace vestige::metrics
