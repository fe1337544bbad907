// The options of all families, and options from a recipe or a caller checked against them.
#include "vestige/audit/metric_options.h"

#include <algorithm>

#include "vestige/audit/costs.h"
#include "vestige/audit/verdicts/verdicts.h"
#include "vestige/base/error.h"
#include "vestige/base/text.h"
#include "vestige/metrics/family.h"

namespace vestige::audit {
namespace {

using metrics::Option;
using metrics::OptionKind;

void flatten(const Json& table, const std::string& prefix, Json& flat) {
  for (const auto& [key, value] : table.items()) {
    if (value.is_object()) {
      flatten(value, prefix + key + ".", flat);
    } else {
      flat[prefix + key] = value;
    }
  }
}

}  // namespace

std::vector<Option> metric_options() {
  std::vector<Option> all;
  for (const metrics::Family& family : metrics::families()) {
    all.insert(all.end(), family.options.begin(), family.options.end());
  }
  for (const auto* own : {&verdict_option_table().options(), &cost_option_table().options()}) {
    all.insert(all.end(), own->begin(), own->end());
  }
  return all;
}

Json checked_options(const Json& given, const std::string& where) {
  require(given.is_object() || given.is_null(), "{}: it must be a table", where);
  Json flat = Json::object();
  if (given.is_object()) flatten(given, "", flat);
  const std::vector<Option> options = metric_options();
  Json result = Json::object();
  std::vector<std::string> known;
  for (const Option& option : options) {
    known.push_back(option.key);
    if (!option.fallback.is_null()) result[option.key] = option.fallback;
  }
  for (auto& [key, value] : flat.items()) {
    for (const Option& option : options) {
      require(option.formerly != key, "{}: '{}' is called '{}' now", where, key, option.key);
    }
    const auto found = std::find(known.begin(), known.end(), key);
    if (found == known.end()) {
      fail("{}: '{}' is no metric option: the nearest is '{}'", where, key, nearest(key, known));
    }
    if (value.is_null()) continue;
    const Option& option = options[static_cast<std::size_t>(found - known.begin())];
    // A bandwidth may be written as a number.
    const Json fitting =
        option.kind == OptionKind::text && value.is_number() ? Json(value.dump()) : value;
    const std::string why = metrics::misfit(option, fitting);
    require(why.empty(), "{}: {} is {}: {}", where, key, value.dump(), why);
    result[key] = fitting;
  }
  return result;
}

}  // namespace vestige::audit
