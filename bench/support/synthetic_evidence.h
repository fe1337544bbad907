// Synthetic evidence, and a metric group measured on it as an audit does.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/support/ratio.h"
#include "vestige/base/seed.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/inputs/kept_numbers.h"

namespace vestige::benchmarks {

inline constexpr std::size_t kClasses = 10;

inline std::size_t label_of(std::size_t row) { return row % kClasses; }

/// Splits with the mean by which the logit of the true class is higher than the others.
using Lifts = std::vector<std::pair<std::string, double>>;

/// Normal logits of `rows` examples in every split; a multiple of kClasses gives equal classes.
class SyntheticEvidence {
 public:
  explicit SyntheticEvidence(std::size_t rows) : rows_(rows) { evidence_.classes = kClasses; }

  void add(const std::string& role, const std::string& method, std::size_t models,
           const Lifts& lifts) {
    evidence::Group group{role, method, {}};
    for (std::size_t index = 0; index < models; ++index) {
      evidence::Model model;
      model.role = role;
      model.method = method;
      model.name = std::to_string(index);
      for (const auto& [split, lift] : lifts) {
        model.outputs[split] = logits(model.id() + split, lift);
        std::vector<std::int64_t>& labels = evidence_.labels[split];
        for (std::size_t row = labels.size(); row < rows_; ++row) {
          labels.push_back(static_cast<std::int64_t>(label_of(row)));
        }
      }
      group.models.push_back(std::move(model));
    }
    evidence_.groups.push_back(std::move(group));
  }

  /// Original and retrained models, and so many methods that forget a half.
  void add_usual(std::size_t models, std::size_t methods) {
    add("original", "", models, {{"forget", 4}, {"retain", 4}, {"test", 2}});
    add("retrained", "", models, {{"forget", 2}, {"retain", 4}, {"test", 2}});
    for (std::size_t method = 0; method < methods; ++method) {
      add("unlearned", "method" + std::to_string(method), models,
          {{"forget", 3}, {"retain", 4}, {"test", 2}});
    }
  }

  evidence::Evidence& get() { return evidence_; }
  const evidence::Evidence& get() const { return evidence_; }

  /// Each model of original, retrained and unlearned groups, or each group, against the others.
  std::vector<metrics::Comparison> comparisons(metrics::Unit unit) const {
    std::vector<metrics::Comparison> all;
    for (const evidence::Group& group : evidence_.groups) {
      const bool retrained = group.role == "retrained";
      if (group.role != "original" && group.role != "unlearned" && !retrained) continue;
      metrics::Comparison comparison;
      comparison.evidence = &evidence_;
      comparison.original = models_of("original");
      if (!retrained) comparison.retrained = models_of("retrained");
      const metrics::Models models = models_of(group.role, group.method);
      for (const evidence::Model* model : models) {
        comparison.subject = metrics::subject_of(*model);
        comparison.candidate = unit == metrics::Unit::group ? models : metrics::Models{model};
        all.push_back(comparison);
        if (unit == metrics::Unit::group) break;
      }
    }
    return all;
  }

  metrics::Models models_of(const std::string& role, const std::string& method = {}) const {
    metrics::Models models;
    if (const evidence::Group* group = evidence_.find(role, method)) {
      for (const evidence::Model& model : group->models) models.push_back(&model);
    }
    return models;
  }

 private:
  evidence::Array logits(const std::string& purpose, double lift) const {
    Stream stream(1, "bench." + purpose);
    std::vector<double> values(rows_ * kClasses);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = 2 * stream.normal() + (i % kClasses == label_of(i / kClasses) ? lift : 0);
    }
    return evidence::Array::from_doubles(std::move(values), {rows_, kClasses});
  }

  std::size_t rows_;
  evidence::Evidence evidence_;
};

/// The sum of the defined values whose id begins so: one preparation for all comparisons, and
/// numbers that several comparisons need are kept, as in an audit.
inline double measured(const metrics::Family& family, const evidence::Evidence& evidence,
                       const std::vector<metrics::Comparison>& comparisons,
                       std::string_view ids = {}) {
  const metrics::Request request;
  const metrics::Measure measure = family.prepare({evidence, request, comparisons});
  Progress progress(ProgressStyle::quiet, "bench", comparisons.size());
  double sum = 0;
  for (const metrics::Comparison& comparison : comparisons) {
    for (const metrics::Row& row : measure(comparison, progress).rows) {
      if (row.metric.starts_with(ids) && std::isfinite(row.value)) sum += row.value;
    }
  }
  return sum;
}

/// Times a group on all comparisons together; the plain version prepares anew for each of them.
inline void against_single_comparisons(benchmark::State& state, const metrics::Family& family,
                                       const SyntheticEvidence& from) {
  const std::vector<metrics::Comparison> all = from.comparisons(family.unit);
  with_ratio(
      state, [&] { return measured(family, from.get(), all); },
      [&] {
        double sum = 0;
        for (const metrics::Comparison& one : all) sum += measured(family, from.get(), {one});
        return sum;
      });
}

/// Softmax of one example by the C library's exponentials.
inline std::vector<double> plain_softmax(const evidence::Array& logits, std::size_t row) {
  std::vector<double> p(logits.cols());
  logits.read_row(row, p);
  double sum = 0;
  for (double& value : p) sum += value = std::exp(value);
  for (double& value : p) value /= sum;
  return p;
}

/// Mean over a split of the probability of the true class.
inline double plain_confidence(const evidence::Array& logits) {
  double sum = 0;
  for (std::size_t row = 0; row < logits.rows(); ++row) {
    sum += plain_softmax(logits, row)[label_of(row)];
  }
  return sum / static_cast<double>(logits.rows());
}

/// A group of means over examples (metrics/mean_family.h) on six groups of 4 models with 2,000
/// examples a split, against `term(probabilities, label)` for one example after the other.
template <typename Term>
void means_with_ratio(benchmark::State& state, const metrics::Family& family,
                      const std::vector<std::string>& splits, Term term) {
  SyntheticEvidence evidence(2000);
  evidence.add_usual(4, 4);
  const std::vector<metrics::Comparison> all = evidence.comparisons(family.unit);
  with_ratio(
      state, [&] { return measured(family, evidence.get(), all); },
      [&] {
        double sum = 0;
        for (const metrics::Comparison& one : all) {
          for (const std::string& split : splits) {
            const evidence::Array& logits = one.candidate.front()->outputs.at(split);
            double total = 0;
            for (std::size_t row = 0; row < logits.rows(); ++row) {
              total += term(plain_softmax(logits, row), label_of(row));
            }
            sum += total / static_cast<double>(logits.rows());
          }
        }
        return sum;
      });
}

}  // namespace vestige::benchmarks
