// Settings and row helpers of the conformal family.
#include "vestige/metrics/conformal/conformal_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {

ConformalSettings conformal_settings(const Request& request) {
  const auto text = [&](const char* key, const char* fallback) {
    return request.options.value(key, std::string(fallback));
  };
  const ConformalSettings settings{{request.options.value("conformal.alpha", 0.05),
                                    quantile_rule(text("conformal.rule", "finite_sample"))},
                                   {conformal_score(text("conformal.score", "scp")),
                                    request.options.value("conformal.gamma", 1.5), request.seed}};
  require(settings.level.alpha > 0 && settings.level.alpha < 1,
          "conformal.alpha is {}: it must lie between 0 and 1, both excluded; 0.05 is usual",
          settings.level.alpha);
  return settings;
}

Row RowWriter::at(std::string_view id, const Level& level) const {
  Row row = plain(id);
  row.params["alpha"] = level.alpha;
  row.params["score"] = name(settings_.score.score);
  row.params["rule"] = name(level.rule);
  if (settings_.score.score == ConformalScore::entmax) row.params["gamma"] = settings_.score.gamma;
  return row;
}

void set_share(Row& row, std::size_t part, std::size_t whole, std::string_view interval) {
  const Estimate estimate = clopper_pearson(part, whole);
  row.value = estimate.value;
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  row.interval = interval;
  row.n = whole;
}

void set_undefined(Row& row, std::string why) {
  row.value = row.lower = row.upper = kUndefined;
  row.interval.clear();
  row.status = Status::undefined;
  row.note = std::move(why);
}

std::size_t count_ones(const std::vector<double>& flags) {
  return static_cast<std::size_t>(std::count(flags.begin(), flags.end(), 1.0));
}

std::string printed(double value) { return fmt::format("{:.4f}", value); }

}  // namespace vestige::metrics
