// Membership scores of forget sequences beside those of retain and of test sequences.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/metrics/lm/lm_parts.h"
#include "vestige/metrics/lm/lm_scores.h"
#include "vestige/metrics/stats/roc.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

/// Which way an AUC goes: members first.
enum class Pair { retain_above_forget, forget_above_test };

class Membership {
 public:
  Membership(const LmSettings& settings, LmRows& rows)
      : settings_(settings), rows_(rows), lm_(rows.comparison(), settings) {}

  void add() {
    const std::vector<LmScore> scores = wanted(lm_.scores(rows_.model()));
    for (const LmScore& score : scores) {
      add_auc(score, Pair::retain_above_forget, rows_.comparison().subject);
    }
    add_against_test();
    for (const LmScore& score : scores) {
      const bool scaled = score.name == "lira" || score.name == "rmia";
      if (score.missing.empty() && (scaled || score.name == "iam")) add_means(score, scaled);
    }
    const bool with_iam = scores.back().missing.empty();
    for (const LmScore& score : scores) {
      if (!score.missing.empty()) continue;
      const bool sorts = score.name == (with_iam ? "iam" : "loss");
      add_column(fmt::format("{}.{}.{}", rows_.family(), score.name, rows_.comparison().short_name),
                 score, sorts ? 1 : 0);
    }
    if (rows_.family() == "lm" && &rows_.model() == first_scored(rows_.evidence())) {
      add_bag_of_words();
    }
  }

 private:
  std::span<const double> forget(std::span<const double> values) const {
    return values.first(lm_.forget_rows());
  }
  std::span<const double> other(std::span<const double> values) const {
    return values.subspan(lm_.forget_rows());
  }

  std::vector<LmScore> wanted(std::vector<LmScore> scores) const {
    if (rows_.family() == "losses") {
      std::erase_if(scores, [](const LmScore& score) { return !from_losses(score.name); });
    }
    return scores;
  }

  void add_auc(const LmScore& score, Pair pair, const Subject& subject) {
    const bool of_test = pair == Pair::forget_above_test;
    Row row = rows_.make(score, of_test ? "auc.forget_test" : "auc");
    row.subject = subject;
    if (!score.missing.empty()) {
      // Once per method; controls would only repeat it, and so would the other AUC.
      if (of_test ||
          (rows_.comparison().control != Control::none && subject == rows_.comparison().subject)) {
        return;
      }
      row.status = Status::skipped;
      row.notes = {score.missing};
      rows_.out().rows.push_back(std::move(row));
      return;
    }
    const std::vector<double> left = defined(forget(score.values));
    const std::vector<double> right = defined(other(score.values));
    const Estimate estimate = of_test ? auc_interval(left, right) : auc_interval(right, left);
    row.value = estimate.value;
    row.lower = estimate.lower;
    row.upper = estimate.upper;
    if (!std::isnan(row.lower)) row.interval = result::Code::delong;
    row.n = left.size() + right.size();
    if (score.facts.value("moments", "") == "unknown") {
      row.notes = {reason(Code::token_moments_unknown)};
    }
    const std::size_t left_out = score.values.size() - row.n;
    rows_.push(std::move(row), left_out, score.why_undefined);
  }

  /// The convention of the field: what a model knows of forget sequences beyond unseen ones.
  void add_against_test() {
    if (!has_losses_of(rows_.model(), {"test"})) {
      Row row = rows_.make("loss.auc.forget_test");
      return rows_.skip(std::move(row), reason(Code::needs_unseen_examples,
                                               rows_.model().folder + "/{tokens,losses}/test.npy"));
    }
    const LmEvidence against_test(rows_.comparison(), settings_, "test");
    for (const LmScore& score : wanted(against_test.scores(rows_.model()))) {
      add_auc(score, Pair::forget_above_test, rows_.comparison().subject);
    }
  }

  void add_means(const LmScore& score, bool scaled) {
    const std::vector<double> values = scaled ? min_max_scaled(score.values) : score.values;
    Reason why = score.why_undefined;
    if (scaled && !defined(score.values).empty() && defined(values).empty()) {
      why = Code::scores_all_equal;
    }
    const double retained = mean(defined(other(values)));
    const auto add = [&](std::string_view what, std::span<const double> part) {
      const std::vector<double> kept = defined(part);
      Row row = rows_.make(score, what);
      row.facts["std"] = json_number(standard_deviation(kept));
      row.facts["scaled"] = scaled;
      if (what == "mean.forget" && !scaled && rows_.comparison().control == Control::none &&
          mean(kept) >= retained) {
        row.notes = {reason(Code::not_below_retain, retained)};
      }
      rows_.push_mean(std::move(row), {part.begin(), part.end()}, why);
    };
    add("mean.forget", forget(values));
    add("mean.retain", other(values));
  }

  void add_column(std::string name, const LmScore& score, int worst) {
    const std::span<const double> values = forget(score.values);
    rows_.out().columns.push_back(
        {std::move(name), "forget", {values.begin(), values.end()}, {}, worst, Control::none});
  }

  void add_bag_of_words() {
    const LmScore score = lm_.bag_of_words(rows_.request().seed);
    const std::size_t before = rows_.out().rows.size();
    add_auc(score, Pair::retain_above_forget, {"text", {}, {}});
    for (std::size_t index = before; index < rows_.out().rows.size(); ++index) {
      Row& row = rows_.out().rows[index];
      row.control = Control::none;
      if (row.status == Status::ok && (row.lower > 0.5 || row.upper < 0.5)) {
        row.notes = {reason(Code::texts_differ)};
      }
    }
    if (score.missing.empty()) add_column("lm.bag_of_words", score, 0);
  }

  const LmSettings& settings_;
  LmRows& rows_;
  LmEvidence lm_;
};

}  // namespace

void add_membership(const LmSettings& settings, LmRows& rows) { Membership(settings, rows).add(); }

}  // namespace vestige::metrics
