// ROC curves of all attacks as small multiples on logarithmic axes: what a cautious attacker
// learns.
#include "vestige/metrics/stats/roc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/report/json/json_fields.h"
#include "vestige/report/page/plots/parts.h"
#include "vestige/report/page/plots/plot_template.h"

namespace vestige::report {
namespace {

constexpr double kMostPoints = 60;  ///< of a curve; panels are 215 pixels wide

/// 1 / negatives: the smallest positive rate that exists.
double smallest_rate(const metrics::Series& series) {
  const double negatives = number_of(series.params, "negatives");
  if (negatives > 0) return 1 / negatives;
  double smallest = 1;
  for (const double rate : column(series, "fpr")) {
    if (rate > 0) smallest = std::min(smallest, rate);
  }
  return smallest;
}

metrics::RocCurve curve_of(const metrics::Series& series) {
  metrics::RocCurve curve{column(series, "fpr"), column(series, "tpr")};
  const std::size_t count = std::min(curve.fpr.size(), curve.tpr.size());
  curve.fpr.resize(count);
  curve.tpr.resize(count);
  return curve;
}

/// Points evenly spaced in the logarithm of the false positive rate, the last of each place.
void add_curve(const metrics::Series& series, const metrics::RocCurve& curve, double lowest,
               Json& rows) {
  const double width = -std::log(lowest) / kMostPoints;
  const auto place = [&](std::size_t i) {
    return width > 0 ? std::floor(std::log(curve.fpr[i] / lowest) / width) : 0;
  };
  for (std::size_t i = 0; i < curve.fpr.size(); ++i) {
    if (!(curve.fpr[i] > 0) || !(curve.tpr[i] > 0)) continue;
    if (i + 1 < curve.fpr.size() && place(i) == place(i + 1)) continue;
    rows.push_back({{"attack", series.metric},
                    {"method", method_of(series)},
                    {"role", role_of(series.control)},
                    {"fpr", plot_number(curve.fpr[i])},
                    {"tpr", plot_number(curve.tpr[i])}});
  }
}

}  // namespace

std::vector<Plot> roc_plots(const PlotInput& input) {
  const PlotTemplate pattern("roc");
  SeriesList drawn = series_of(input.results, "roc");
  // The constant predictor's curve is the diagonal.
  std::erase_if(drawn, [](const metrics::Series* one) {
    return column(*one, "fpr").empty() || one->control == metrics::Control::constant;
  });
  Json rows = Json::array();
  std::vector<std::string> attacks;
  std::string rates;
  double lowest = 1;
  for (const auto& [key, series] : grouped(drawn, {"form", "score"})) {
    // Of several forms of one attack the first is drawn; the others are in results.json.
    const std::string& attack = series.front()->metric;
    if (std::find(attacks.begin(), attacks.end(), attack) != attacks.end()) continue;
    attacks.push_back(attack);
    std::string own;
    for (const metrics::Series* one : series) {
      const metrics::RocCurve curve = curve_of(*one);
      const double least = smallest_rate(*one);
      lowest = std::min(lowest, least);
      add_curve(*one, curve, least, rows);
      const auto found_at = [&](double rate) {
        return rate < least ? pattern.word("not_measurable")
                            : fmt::format("{:.1f} %", 100 * metrics::tpr_below_fpr(curve, rate));
      };
      own += (own.empty() ? "" : ", ") + pattern.word("rate", {{"method", method_of(*one)},
                                                               {"high", found_at(0.01)},
                                                               {"low", found_at(0.001)}});
    }
    rates += pattern.word("attack", {{"attack", attack}, {"rates", own}});
  }
  if (rows.empty()) return {};
  place_by(rows, "attack", attacks);
  const std::vector<std::string> methods = methods_of(drawn);
  const double low = std::pow(10.0, std::clamp(std::floor(std::log10(lowest)), -5.0, -1.0));
  return {pattern.plot({{"values", std::move(rows)},
                        {"attacks", listed(attacks)},
                        {"methods", methods},
                        {"methods_listed", listed(methods)},
                        {"rates", rates},
                        {"low", low},
                        {"lowest", lowest}})};
}

}  // namespace vestige::report
