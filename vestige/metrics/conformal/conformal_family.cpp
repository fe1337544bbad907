// Rows and sample columns of the conformal family.
#include "vestige/metrics/conformal/conformal_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "vestige/base/error.h"
#include "vestige/base/memory.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/conformal/conformal.h"
#include "vestige/metrics/conformal/conformal_evidence.h"
#include "vestige/metrics/conformal/conformal_membership.h"
#include "vestige/metrics/conformal/conformal_rows.h"
#include "vestige/metrics/conformal/miacr.h"
#include "vestige/metrics/inputs/row_cost.h"
#include "vestige/metrics/series.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr double kReportedAlphas[] = {0.05, 0.10, 0.15, 0.20};

QuantileRule other(QuantileRule rule) {
  return rule == QuantileRule::paper ? QuantileRule::finite_sample : QuantileRule::paper;
}

/// A split with the calibration scores that its q comes from.
struct Part {
  std::string split;  ///< the last word of the ids: "forget", "test", ...
  const LabelledOutputs* rows;
  const std::vector<double>* scores;
};

/// Coverage, set size and CR of one split.
void add_coverage(const RowWriter& writer, const Part& part, const CoverageSummary& summary,
                  const Level& level, std::vector<Row>& rows) {
  Row cr = writer.at("conformal.cr." + part.split, level);
  cr.value = summary.cr;
  cr.n = summary.n;
  cr.terms = ratio_terms(summary.covered, summary.set_sizes);
  if (std::isnan(summary.cr)) {
    set_undefined(cr, Code::prediction_sets_empty);
  } else {
    const Estimate spread = t_interval(cr.terms);
    if (!std::isnan(spread.lower)) {  // one row has no spread
      cr.lower = std::max(0.0, spread.lower);
      cr.upper = std::min(1.0, spread.upper);
      cr.interval = result::Code::delta_q_fixed;
    }
  }
  Row coverage = writer.at("conformal.coverage." + part.split, level);
  set_share(coverage, count_ones(summary.covered), summary.n,
            result::Code::clopper_pearson_q_fixed);
  coverage.terms = summary.covered;
  Row size = writer.at("conformal.set_size." + part.split, level);
  const Estimate spread = t_interval(summary.set_sizes);
  size.value = spread.value;
  if (!std::isnan(spread.lower)) {
    size.lower = std::max(0.0, spread.lower);
    size.upper = spread.upper;
    size.interval = result::Code::t_q_fixed;
  }
  size.n = summary.n;
  size.terms = summary.set_sizes;
  rows.push_back(std::move(cr));
  rows.push_back(std::move(coverage));
  rows.push_back(std::move(size));
}

/// Everything that depends on one calibration: q apart for what was forgotten as a whole.
class Section {
 public:
  Section(const RowWriter& writer, const ConformalSettings& settings, const ConformalInput& input,
          const Calibration& calibration)
      : writer_(writer), settings_(settings), input_(input), setup_(calibration.setup) {
    const bool whole = !input.whole.empty();
    scores_ = scores_of(whole ? rows_of_forgotten(calibration.rows, false) : calibration.rows);
    if (!whole) {
      parts_ = {{"forget", &input.forget, &scores_}, {"test", &input.test, &scores_}};
      return;
    }
    forget_scores_ = scores_of(rows_of_forgotten(calibration.rows, true));
    test_forget_ = rows_of_forgotten(input.test, true);
    test_retain_ = rows_of_forgotten(input.test, false);
    parts_ = {{"forget", &input.forget, &forget_scores_},
              {"test_forget", &test_forget_, &forget_scores_},
              {"test_retain", &test_retain_, &scores_}};
  }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  /// All rows at one level.
  std::vector<Row> rows(const Level& level) const {
    std::vector<Row> out;
    out.push_back(q_row(writer_, "conformal.q", scores_, level, input_, settings_.score.seed));
    if (!input_.whole.empty()) {
      out.push_back(q_row(writer_, "conformal.q.forget", forget_scores_, level, input_,
                          settings_.score.seed));
    }
    for (const Part& part : parts_) add_part(part, level, out);
    if (!input_.whole.empty()) {
      for (Row& row : out) row.facts["forgotten"] = input_.whole;
    }
    for (Row& row : out) {
      if (!setup_.empty()) row.settings["setup"] = setup_;
      // So that a finding can set the two against each other.
      if (setup_.empty() && input_.calibrations.size() > 1) row.facts["setup"] = "own calibration";
    }
    return out;
  }

  /// Sets of the forget rows; nullopt without calibration rows.
  std::optional<PredictionSets> forget_sets(const Level& level) const {
    return sets(parts_.front(), level);
  }

  const LabelledOutputs& test_forget() const { return test_forget_; }

  /// Non-conformity of calibration and forget rows, and q over the number of calibration rows.
  void add_series(const Comparison& comparison, Measurements& out) const {
    if (!gives_series(comparison)) return;
    constexpr std::size_t kBins = 40;
    const bool whole = !input_.whole.empty();
    const std::vector<double> forget = scores_of(input_.forget);
    // Every score but entmax lies in [0, 1].
    const bool bounded = settings_.score.score != ConformalScore::entmax;
    const std::vector<double> edges =
        bounded ? equal_bins(0, 1, kBins) : pooled_bins({forget, scores_, forget_scores_}, kBins);
    const auto add = [&](const char* group, std::vector<double> values) {
      // A cumulative probability may miss 1 by rounding.
      for (double& value : values) value = bounded ? std::clamp(value, 0.0, 1.0) : value;
      Series series = histogram_series("conformal", group, values, edges, comparison);
      series.params["score"] = name(settings_.score.score);
      out.series.push_back(std::move(series));
    };
    add("calibration", scores_);
    if (whole) add("calibration, forgotten class", forget_scores_);
    add("forget", forget);
    add_curve("conformal.q", scores_, comparison, out);
    if (whole) add_curve("conformal.q.forget", forget_scores_, comparison, out);
  }

 private:
  void add_curve(const char* metric, const std::vector<double>& scores,
                 const Comparison& comparison, Measurements& out) const {
    if (scores.empty()) return;
    std::vector<double> x, y, lower, upper;
    for (const SizedThreshold& threshold :
         q_over_size(scores, settings_.level, settings_.score.seed)) {
      x.push_back(static_cast<double>(threshold.rows));
      y.push_back(threshold.q.value);
      lower.push_back(threshold.q.lower);
      upper.push_back(threshold.q.upper);
    }
    Series series = make_series("curve", metric, comparison);
    series.params = {{"x", "calibration examples"},
                     {"alpha", settings_.level.alpha},
                     {"rule", name(settings_.level.rule)},
                     {"interval", std::string(name(result::Code::order_statistics))}};
    series.columns = {{"x", std::move(x)},
                      {"y", std::move(y)},
                      {"lower", std::move(lower)},
                      {"upper", std::move(upper)}};
    out.series.push_back(std::move(series));
  }

  std::vector<double> scores_of(const LabelledOutputs& rows) const {
    if (rows.labels.empty()) return {};
    return calibration_scores(rows.outputs, rows.labels, settings_.score);
  }

  std::optional<PredictionSets> sets(const Part& part, const Level& level) const {
    if (part.scores->empty()) return std::nullopt;
    const double q = conformal_quantile(*part.scores, level.alpha, level.rule);
    return prediction_sets(part.rows->outputs, q, level.rule, settings_.score);
  }

  void add_part(const Part& part, const Level& level, std::vector<Row>& out) const {
    if (part.rows->labels.empty()) return;
    const std::optional<PredictionSets> found = sets(part, level);
    if (!found) {
      Row row = writer_.at("conformal.cr." + part.split, level);
      set_undefined(row, Code::no_calibration_of_class);
      out.push_back(std::move(row));
      return;
    }
    add_coverage(writer_, part, summarise_sets(*found, part.rows->labels), level, out);
    if (part.split != "forget") return;
    const FakeForgetting fake = fake_forgetting(part.rows->outputs, *found, part.rows->labels);
    Row row = writer_.at("conformal.fake_forgetting", level);
    if (fake.mislabel == 0) {
      set_undefined(row, Code::none_predicted_wrong);
    } else {
      set_share(row, fake.in_set, fake.mislabel, result::Code::clopper_pearson_over_mislabelled);
    }
    row.facts["mislabel"] = fake.mislabel;
    row.facts["in_set"] = fake.in_set;
    out.push_back(std::move(row));
  }

  const RowWriter& writer_;
  const ConformalSettings& settings_;
  const ConformalInput& input_;
  std::string setup_;
  std::vector<double> scores_, forget_scores_;
  LabelledOutputs test_forget_, test_retain_;
  std::vector<Part> parts_;
};

/// Rows of the asked rule, each followed by the other rule's where its printed value differs.
void append_both(std::vector<Row> asked, std::vector<Row> others, bool both,
                 std::vector<Row>& out) {
  for (std::size_t k = 0; k < asked.size(); ++k) {
    const bool differ = both && printed(asked[k].value) != printed(others[k].value);
    out.push_back(std::move(asked[k]));
    if (differ) out.push_back(std::move(others[k]));
  }
}

void add_accuracy(const RowWriter& writer, std::string_view id, const LabelledOutputs& rows,
                  std::vector<Row>& out) {
  if (rows.labels.empty()) return;
  const PredictionSets none(rows.labels.size(), rows.outputs.cols());
  const FakeForgetting fake = fake_forgetting(rows.outputs, none, rows.labels);
  Row row = writer.plain(id);
  set_share(row, fake.mislabel, rows.labels.size(), result::Code::clopper_pearson_over_examples);
  row.terms = fake.mislabelled;
  out.push_back(std::move(row));
  if (id != "conformal.ua") return;
  Row count = writer.plain("conformal.mislabel");
  count.value = static_cast<double>(fake.mislabel);
  count.n = rows.labels.size();
  out.push_back(std::move(count));
}

std::string set_text(const PredictionSets& sets, std::size_t row) {
  return fmt::format("{}", fmt::join(sets.members(row), " "));
}

void add_columns(const Comparison& comparison, const Request& request,
                 const LabelledOutputs& forget, const PredictionSets& sets,
                 const MembershipSets* membership, Measurements& out) {
  const auto add = [&](std::string_view what, std::vector<double> values, PackedTexts texts,
                       int worst) {
    SampleColumn column;
    column.name = fmt::format("conformal.{}.{}", what, comparison.short_name);
    column.split = "forget";
    column.values = std::move(values);
    column.texts = std::move(texts);
    column.texts.shrink_to_fit();
    column.worst = worst;
    out.columns.push_back(std::move(column));
  };
  const CoverageSummary summary = summarise_sets(sets, forget.labels);
  std::vector<double> probability, loss;
  for (const double log_probability : true_class_log_probabilities(
           request.context, *comparison.evidence, *comparison.candidate.front(), "forget")) {
    probability.push_back(std::exp(log_probability));
    loss.push_back(0 - log_probability);
  }
  PackedTexts texts, membership_texts;
  for (std::size_t i = 0; i < forget.labels.size(); ++i) {
    texts.push_back(set_text(sets, i));
    if (membership != nullptr) membership_texts.push_back(set_text(membership->sets, i));
  }
  add("set", {}, std::move(texts), 0);
  add("set_size", summary.set_sizes, {}, 0);
  add("in_set", summary.covered, {}, 0);
  add("mislabelled", fake_forgetting(forget.outputs, sets, forget.labels).mislabelled, {}, 0);
  if (membership != nullptr) add("membership_set", {}, std::move(membership_texts), 0);
  // The surer the model still is of the true label, the more is left of the row.
  add("true_probability", std::move(probability), {}, 1);
  add("loss", std::move(loss), {}, 0);
}

/// True-class probability and loss of the rows that UA calls forgotten (mis-labelled) and of those
/// that CR calls so (out of their set): the paper's Figures 7 to 10.
void add_forgotten_series(const Comparison& comparison, const Request& request,
                          const LabelledOutputs& forget, const PredictionSets& sets,
                          Measurements& out) {
  constexpr std::size_t kBins = 40;
  constexpr double kLongestLoss = 20;
  if (!gives_series(comparison)) return;
  const CoverageSummary summary = summarise_sets(sets, forget.labels);
  const FakeForgetting fake = fake_forgetting(forget.outputs, sets, forget.labels);
  const std::vector<double> log_probability = true_class_log_probabilities(
      request.context, *comparison.evidence, *comparison.candidate.front(), "forget");
  std::vector<double> mislabelled[2], out_of_set[2];
  for (std::size_t i = 0; i < log_probability.size(); ++i) {
    const double values[2] = {std::exp(log_probability[i]),
                              std::min(kLongestLoss, -log_probability[i])};
    for (const int kind : {0, 1}) {
      if (fake.mislabelled[i] == 1) mislabelled[kind].push_back(values[kind]);
      if (summary.covered[i] == 0) out_of_set[kind].push_back(values[kind]);
    }
  }
  for (const int kind : {0, 1}) {
    const std::vector<double> edges = equal_bins(0, kind == 0 ? 1 : kLongestLoss, kBins);
    const char* id = kind == 0 ? "conformal.true_probability" : "conformal.loss";
    out.series.push_back(histogram_series(id, "mislabelled", mislabelled[kind], edges, comparison));
    out.series.push_back(
        histogram_series(id, "out of its set", out_of_set[kind], edges, comparison));
  }
}

/// The asked alpha first, then the others of the report.
std::vector<double> alphas(double asked) {
  std::vector<double> result = {asked};
  for (const double alpha : kReportedAlphas) {
    if (std::abs(alpha - asked) > 1e-12) result.push_back(alpha);
  }
  return result;
}

Measurements measure_conformal(const Comparison& comparison, const Request& request, Progress&) {
  const ConformalSettings settings = conformal_settings(request);
  const auto overlap = calibration_overlap(*comparison.evidence);
  require(!overlap,
          "example \"{0}\" is both a calibration and a {1} example: remove it from "
          "ids/calibration.npy or from ids/{1}.npy",
          overlap ? overlap->id : "", overlap ? overlap->split : "");
  Measurements out;
  const RowWriter writer(comparison, request, settings);
  const HeldMemory held(request.context, conformal_bytes(*comparison.candidate.front()));
  const ConformalInput input = conformal_input(*comparison.evidence, *comparison.candidate.front(),
                                               settings.score.score, request.seed);
  if (!input.missing.empty()) {
    Row row = writer.at("conformal.cr.forget", settings.level);
    row.status = Status::skipped;
    row.notes = {input.missing};
    out.rows.push_back(std::move(row));
    return out;
  }
  const Membership membership(writer, comparison, request, settings.member);
  const Section section(writer, settings, input, input.calibrations.front());
  // A constant predictor has one score per class, so that < or <= changes everything and says
  // nothing.
  const bool both = comparison.control != Control::constant;
  for (const double alpha : alphas(settings.level.alpha)) {
    const Level asked{alpha, settings.level.rule}, second{alpha, other(settings.level.rule)};
    append_both(section.rows(asked), section.rows(second), both, out.rows);
    if (alpha == settings.level.alpha) {
      add_accuracy(writer, "conformal.ua", input.forget, out.rows);
      add_accuracy(writer, "conformal.ua.test_forget", section.test_forget(), out.rows);
      membership.add_attack(asked, out.rows);
    }
    append_both(membership.rows(asked), membership.rows(second), both, out.rows);
  }
  for (std::size_t k = 1; k < input.calibrations.size(); ++k) {
    const Section shadow(writer, settings, input, input.calibrations[k]);
    for (const double alpha : alphas(settings.level.alpha)) {
      for (Row& row : shadow.rows({alpha, settings.level.rule})) out.rows.push_back(std::move(row));
    }
  }
  section.add_series(comparison, out);
  const auto sets = section.forget_sets(settings.level);
  if (sets) add_forgotten_series(comparison, request, input.forget, *sets, out);
  const bool shown = comparison.control == Control::none ||
                     comparison.control == Control::original ||
                     comparison.control == Control::retrained;
  if (sets && shown) {
    std::optional<MembershipSets> members;
    if (membership.available()) members = membership.sets_at(settings.level);
    add_columns(comparison, request, input.forget, *sets, members ? &*members : nullptr, out);
  }
  return out;
}

/// Measured as docs/performance.md tells.
std::optional<Cost> conformal_cost(const evidence::Evidence& evidence, const Json&) {
  return row_cost(evidence, compared_roles(), {"forget", "test", "calibration"},
                  {.output = 29, .row = 35000});
}

}  // namespace

Family conformal_family() {
  return {.name = "conformal",
          .summary = "is the true label of forget examples still in the prediction set",
          .metrics = conformal_metrics(),
          .ranges = {{"conformal", kShare},
                     {"conformal.q", {}},
                     {"conformal.mia.q", {}},
                     {"conformal.set_size", kFromZero}},
          .support = conformal_support,
          .prepare = each(measure_conformal),
          .options = conformal_options().options(),
          .series = conformal_series(),
          .formerly = {{"utility.ua", "conformal.ua"}},
          .impossible = conformal_impossible,
          .too_large = conformal_too_large,
          .cost = conformal_cost};
}

}  // namespace vestige::metrics
