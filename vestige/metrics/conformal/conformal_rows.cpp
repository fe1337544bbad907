// Settings and row helpers of the conformal family.
#include "vestige/metrics/conformal/conformal_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vestige/base/seed.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

Json q_over_size_json(const std::vector<double>& scores, const Level& level, std::uint64_t seed) {
  Json sizes = Json::array(), values = Json::array();
  for (const SizedThreshold& threshold : q_over_size(scores, level, seed)) {
    sizes.push_back(threshold.rows);
    values.push_back(json_number(threshold.q.value));
  }
  return {{"rows", sizes}, {"q", values}};
}

}  // namespace

const OptionTable<ConformalSettings>& conformal_options() {
  using Settings = ConformalSettings;
  static const OptionTable<Settings> table =
      OptionTable<Settings>("conformal")
          .number(
              "alpha", "Error rate that the prediction sets allow",
              [](Settings & s) -> auto& { return s.level.alpha; }, between(0, 1))
          .choice(
              "score", "Non-conformity score; lac is scp",
              [](Settings & s) -> auto& { return s.score.score; },
              std::vector<std::pair<std::string, ConformalScore>>{
                  {"scp", ConformalScore::scp},
                  {"lac", conformal_score("lac")},
                  {"aps", ConformalScore::aps},
                  {"aps_randomised", ConformalScore::aps_randomised},
                  {"raps", ConformalScore::raps},
                  {"saps", ConformalScore::saps},
                  {"entmax", ConformalScore::entmax}})
          .number(
              "penalty", "Lambda of raps and saps",
              [](Settings & s) -> auto& { return s.score.penalty; }, at_least(0))
          .count(
              "free_ranks", "k of raps: ranks without a penalty",
              [](Settings & s) -> auto& { return s.score.free_ranks; })
          .number(
              "gamma", "Gamma of entmax", [](Settings & s) -> auto& { return s.score.gamma; },
              at_least(1))
          .choice(
              "rule", "Quantile rule", [](Settings & s) -> auto& { return s.level.rule; },
              std::vector<std::pair<std::string, QuantileRule>>{
                  {"finite_sample", QuantileRule::finite_sample}, {"paper", QuantileRule::paper}})
          .choice(
              "member", "When the membership attack calls an example a member",
              [](Settings & s) -> auto& { return s.member; },
              std::vector<std::pair<std::string, MemberRule>>{
                  {"probability", MemberRule::probability}, {"sign", MemberRule::sign}});
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
  const bool raps = settings_.score.score == ConformalScore::raps;
  if (raps || settings_.score.score == ConformalScore::saps) {
    row.settings["penalty"] = settings_.score.penalty;
  }
  if (raps) row.settings["free_ranks"] = settings_.score.free_ranks;
  return row;
}

void set_share(Row& row, std::size_t part, std::size_t whole, const Reason& interval) {
  const Estimate estimate = clopper_pearson(part, whole);
  row.value = estimate.value;
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  row.interval = interval;
  row.n = whole;
}

void set_undefined(Row& row, Reason why) {
  row.value = row.lower = row.upper = kUndefined;
  row.interval = {};
  row.status = Status::undefined;
  row.notes = {std::move(why)};
}

std::size_t count_ones(const std::vector<double>& flags) {
  return static_cast<std::size_t>(std::count(flags.begin(), flags.end(), 1.0));
}

std::string printed(double value) { return fmt::format("{:.4f}", value); }

std::vector<SizedThreshold> q_over_size(const std::vector<double>& scores, const Level& level,
                                        std::uint64_t seed) {
  std::vector<SizedThreshold> thresholds;
  std::vector<double> shuffled;
  for (const std::size_t i : Stream(seed, "conformal.q_over_size").permutation(scores.size())) {
    shuffled.push_back(scores[i]);
  }
  for (const std::size_t size :
       {50U, 100U, 200U, 500U, 1000U, 2000U, 5000U, 10000U, 20000U, 50000U}) {
    if (size >= scores.size()) break;
    thresholds.push_back(
        {size, conformal_threshold(std::span(shuffled).first(size), level.alpha, level.rule)});
  }
  thresholds.push_back({scores.size(), conformal_threshold(scores, level.alpha, level.rule)});
  return thresholds;
}

Row q_row(const RowWriter& writer, std::string_view id, const std::vector<double>& scores,
          const Level& level, const ConformalInput& input, std::uint64_t seed) {
  Row row = writer.at(id, level);
  if (scores.empty()) {
    set_undefined(row, Code::no_calibration_of_class);
    return row;
  }
  const Estimate q = conformal_threshold(scores, level.alpha, level.rule);
  row.value = q.value;
  row.lower = q.lower;
  row.upper = q.upper;
  row.interval = result::Code::order_statistics;
  row.n = scores.size();
  row.facts["calibration"] = input.source;
  row.facts["q_over_size"] = q_over_size_json(scores, level, seed);
  if (input.source != "calibration") row.notes.push_back(Code::test_set_calibrates);
  if (scores.size() < kEnoughCalibration) {
    row.notes.push_back(reason(Code::few_calibration_examples, scores.size(), kEnoughCalibration,
                               q.lower, q.upper));
  }
  return row;
}

}  // namespace vestige::metrics
