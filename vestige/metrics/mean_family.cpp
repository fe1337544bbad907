// Groups of means over examples.
#include "vestige/metrics/mean_family.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "vestige/evidence/blocks.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

bool can_measure(const evidence::Evidence& evidence, const evidence::Model& model,
                 std::string_view split) {
  return model.has(split) && evidence.find_labels(model, split) != nullptr;
}

Reason lacks(std::string_view split, const std::string& model) {
  return reason(Code::needs_outputs_and_labels, std::vector<std::string>{std::string(split)},
                fmt::format("{0}/{1}.npy and labels/{1}.npy", model, split));
}

std::vector<double> terms_of(const evidence::Evidence& evidence, const evidence::Model& model,
                             std::string_view split, ExampleTerm term) {
  const evidence::Array& outputs = model.outputs.at(std::string(split));
  const std::vector<std::int64_t>& labels = *evidence.find_labels(model, split);
  std::vector<double> terms(outputs.rows());
  evidence::for_row_blocks(terms.size(), [&](std::size_t first, std::size_t last) {
    const Matrix rows = evidence::probabilities(outputs, evidence.kind, first, last);
    for (std::size_t i = first; i < last; ++i) {
      terms[i] = term(rows.row(i - first), static_cast<std::size_t>(labels[i]));
    }
  });
  return terms;
}

}  // namespace

void set_mean(Row& row, std::vector<double> terms) {
  const Estimate mean = t_interval(terms);
  row.n = terms.size();
  row.value = mean.value;
  if (mean.upper > mean.lower) {
    row.lower = mean.lower;
    row.upper = mean.upper;
    row.interval = Code::t_models_fixed;
  }
  row.terms = std::move(terms);
}

Family mean_family(MeanGroup group) {
  Family family;
  family.name = group.name;
  family.summary = group.summary;
  for (const MeanMetric& metric : group.metrics) family.metrics.push_back(metric.info);
  family.ranges = {{group.name, group.range}};
  const auto shared = std::make_shared<const MeanGroup>(std::move(group));
  family.support = [shared](const evidence::Evidence& evidence) -> Support {
    for (const evidence::Group& models : evidence.groups) {
      for (const MeanMetric& metric : shared->metrics) {
        if (can_measure(evidence, models.models.front(), metric.split)) return {true};
      }
    }
    return {false, lacks(shared->metrics.front().split, "unlearned/METHOD/0")};
  };
  family.prepare = [shared](const Preparation& from) -> Measure {
    return [shared, &request = from.request](const Comparison& comparison, Progress&) {
      Measurements out;
      const evidence::Model& model = *comparison.candidate.front();
      for (const MeanMetric& metric : shared->metrics) {
        Row row = make_row(metric.info.id, comparison, request);
        if (can_measure(*comparison.evidence, model, metric.split)) {
          set_mean(row, terms_of(*comparison.evidence, model, metric.split, shared->term));
        } else {
          row.status = Status::skipped;
          row.notes = {lacks(metric.split, model.id())};
        }
        out.rows.push_back(std::move(row));
      }
      return out;
    };
  };
  return family;
}

}  // namespace vestige::metrics
