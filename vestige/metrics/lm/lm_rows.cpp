// Rows of language models.
#include "vestige/metrics/lm/lm_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {

std::vector<double> defined(std::span<const double> values) {
  std::vector<double> result;
  std::copy_if(values.begin(), values.end(), std::back_inserter(result),
               [](double value) { return !std::isnan(value); });
  return result;
}

Row LmRows::make(std::string_view what) const {
  Row row = make_row(fmt::format("{}.{}", family_, what), comparison_, request_);
  row.seed = request_.seed;
  return row;
}

Row LmRows::make(const LmScore& score, std::string_view what) const {
  Row row = make(fmt::format("{}.{}", score.name, what));
  row.settings = score.settings;
  row.facts = score.facts;
  return row;
}

void LmRows::push(Row row, std::size_t left_out, const Reason& why) {
  if (std::isnan(row.value)) {
    row.status = Status::undefined;
    row.notes.clear();
    if (left_out == 0 && !why.empty()) row.notes.push_back(why);
  }
  if (left_out > 0) {
    row.facts["left_out"] = left_out;
    row.notes.push_back(reason(Code::sequences_without_score, left_out, why));
  }
  out_.rows.push_back(std::move(row));
}

void LmRows::skip(Row row, Reason why) {
  if (comparison_.control != Control::none) return;
  row.status = Status::skipped;
  row.notes = {std::move(why)};
  out_.rows.push_back(std::move(row));
}

void LmRows::push_mean(Row row, std::vector<double> terms, const Reason& why) {
  const std::vector<double> kept = defined(terms);
  const Estimate estimate = within(row.metric, t_interval(kept));
  row.value = estimate.value;
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  if (!std::isnan(row.lower)) row.interval = result::Code::t_over_sequences;
  row.n = kept.size();
  const std::size_t left_out = terms.size() - kept.size();
  row.terms = std::move(terms);
  push(std::move(row), left_out, why);
}

const evidence::Model* retrained_beside(const Comparison& comparison) {
  for (const evidence::Model* model : comparison.retrained) {
    if (model->name == comparison.candidate.front()->name) return model;
  }
  return comparison.retrained.empty() ? nullptr : comparison.retrained.front();
}

bool can_be_scored(const evidence::Model& model) {
  return has_losses_of(model, {"forget", "retain"});
}

const evidence::Model* first_scored(const evidence::Evidence& evidence,
                                    std::string_view only_role) {
  for (const evidence::Group& group : evidence.groups) {
    if (group.role == "shadow" || group.role == "random" || group.role == "checkpoint") continue;
    if (!only_role.empty() && group.role != only_role) continue;
    for (const evidence::Model& model : group.models) {
      if (can_be_scored(model)) return &model;
    }
  }
  return nullptr;
}

}  // namespace vestige::metrics
