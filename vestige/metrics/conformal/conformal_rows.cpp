// Settings and row helpers of the conformal family.
#include "vestige/metrics/conformal/conformal_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {

const OptionTable<ConformalSettings>& conformal_options() {
  using Settings = ConformalSettings;
  static const OptionTable<Settings> table =
      OptionTable<Settings>("conformal")
          .number(
              "alpha", "Error level of the sets",
              [](Settings & s) -> auto& { return s.level.alpha; }, between(0, 1))
          .choice(
              "score", "Non-conformity score; lac is scp",
              [](Settings & s) -> auto& { return s.score.score; },
              std::vector<std::pair<std::string, ConformalScore>>{
                  {"scp", ConformalScore::scp},
                  {"lac", conformal_score("lac")},
                  {"aps", ConformalScore::aps},
                  {"aps_randomised", ConformalScore::aps_randomised},
                  {"entmax", ConformalScore::entmax}})
          .number(
              "gamma", "Gamma of entmax", [](Settings & s) -> auto& { return s.score.gamma; },
              at_least(1))
          .choice(
              "rule", "Quantile rule", [](Settings & s) -> auto& { return s.level.rule; },
              std::vector<std::pair<std::string, QuantileRule>>{
                  {"finite_sample", QuantileRule::finite_sample}, {"paper", QuantileRule::paper}});
  return table;
}

ConformalSettings conformal_settings(const Request& request) {
  ConformalSettings settings = conformal_options().read(request.options);
  settings.score.seed = request.seed;
  return settings;
}

Row RowWriter::at(std::string_view id, const Level& level) const {
  Row row = plain(id);
  row.settings["alpha"] = level.alpha;
  row.settings["score"] = name(settings_.score.score);
  row.settings["rule"] = name(level.rule);
  if (settings_.score.score == ConformalScore::entmax) row.facts["gamma"] = settings_.score.gamma;
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
