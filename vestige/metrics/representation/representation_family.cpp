// Rows of the representation family.
#include "vestige/metrics/representation/representation_family.h"

#include <algorithm>
#include <cmath>

#include "vestige/metrics/inputs/held_rows.h"
#include "vestige/metrics/inputs/row_sets.h"
#include "vestige/metrics/option_bounds.h"
#include "vestige/metrics/representation/representation.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

std::vector<MetricInfo> representation_metrics() {
  return {
      {"representation.neighbours", Direction::match, kUndefined,
       "nearest neighbours on activations",
       "share of forget examples whose class the nearest retain examples in a layer predict", true},
      {"representation.linear_probe", Direction::match, kUndefined, "linear probe on activations",
       "share of forget examples whose class a linear probe on a layer predicts, fitted on retain "
       "examples",
       true},
      {"representation.cka.retrained", Direction::higher, 1, "CKA to retrained",
       "similarity (linear CKA) of a layer's activations on forget examples to a retrained model's",
       true},
      {"representation.cka.original", Direction::match, kUndefined, "CKA to the original",
       "similarity (linear CKA) of a layer's activations on forget examples to the original's",
       true},
  };
}

struct Settings {
  std::size_t neighbours = 10;  ///< how many vote
  double ridge = 1;             ///< of the linear probe
};

const OptionTable<Settings>& representation_options() {
  static const OptionTable<Settings> table = [] {
    OptionTable<Settings> made("representation");
    made.count(
        "neighbours", "Nearest retain examples that vote on the class of an example",
        [](auto& o) -> auto& { return o.neighbours; }, within(1, 10'000));
    made.number(
        "ridge", "Penalty of the linear probe on standardised activations",
        [](auto& o) -> auto& { return o.ridge; }, above(0));
    return made;
  }();
  return table;
}

bool has_layer_on(const evidence::Model& model, const std::string& layer, const char* split) {
  const auto found = model.activations.find(layer);
  return found != model.activations.end() && found->second.count(split) > 0;
}

Matrix activations(const evidence::Model& model, const std::string& layer, const char* split) {
  return evidence::matrix(model.activations.at(layer).at(split));
}

/// Every second row, with its label; the others for `odd`.
struct Part {
  Matrix rows;
  std::vector<std::int64_t> labels;

  LabelledActivations view() const { return {rows, labels}; }
};

Part part_of(const Matrix& rows, const std::vector<std::int64_t>& labels, std::size_t first,
             std::size_t step) {
  Part part;
  const std::size_t count = rows.rows() > first ? (rows.rows() - first - 1) / step + 1 : 0;
  part.rows = Matrix(count, rows.cols());
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = rows.row(first + i * step);
    std::copy(from.begin(), from.end(), part.rows.row(i).begin());
    part.labels.push_back(labels[first + i * step]);
  }
  return part;
}

Part joined(const Part& a, const Part& b) {
  Part both{Matrix(a.rows.rows() + b.rows.rows(), a.rows.cols()), a.labels};
  std::copy(a.rows.values().begin(), a.rows.values().end(), both.rows.values().begin());
  std::copy(b.rows.values().begin(), b.rows.values().end(),
            both.rows.values().begin() + static_cast<std::ptrdiff_t>(a.rows.values().size()));
  both.labels.insert(both.labels.end(), b.labels.begin(), b.labels.end());
  return both;
}

Row row_of(std::string_view id, const std::string& layer, const Comparison& comparison,
           const Request& request) {
  Row row = make_row(id, comparison, request);
  row.settings["layer"] = layer;
  return row;
}

void add_share(Row row, std::vector<double> right, Measurements& out) {
  const auto ones = static_cast<std::size_t>(std::count(right.begin(), right.end(), 1.0));
  const Estimate estimate = clopper_pearson(ones, right.size());
  row.value = estimate.value;
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  row.interval = result::Code::clopper_pearson_models_fixed;
  row.n = right.size();
  row.terms = std::move(right);
  out.rows.push_back(std::move(row));
}

/// Classifiers fitted on retain rows; where whole classes were forgotten retain has none of them,
/// so that every second forget row is fitted too and the others are asked.
void add_classifiers(const evidence::Model& model, const std::string& layer,
                     const Comparison& comparison, const Request& request, Measurements& out) {
  const evidence::Evidence& evidence = *comparison.evidence;
  const auto *forget_labels = evidence.find_labels(model, "forget"),
             *retain_labels = evidence.find_labels(model, "retain");
  if (forget_labels == nullptr || retain_labels == nullptr ||
      !has_layer_on(model, layer, "retain")) {
    return;
  }
  const Settings settings = representation_options().read(request.options);
  const bool classes = forgotten_as_a_whole(evidence) == Forgotten::classes;
  const Matrix forget = activations(model, layer, "forget");
  Part fitted = part_of(activations(model, layer, "retain"), *retain_labels, 0, 1);
  const Part asked = part_of(forget, *forget_labels, classes ? 1 : 0, classes ? 2 : 1);
  if (classes) fitted = joined(fitted, part_of(forget, *forget_labels, 0, 2));
  if (fitted.labels.empty() || asked.labels.empty()) return;
  Row neighbours = row_of("representation.neighbours", layer, comparison, request);
  Row probe = row_of("representation.linear_probe", layer, comparison, request);
  neighbours.facts["neighbours"] = settings.neighbours;
  probe.facts["ridge"] = settings.ridge;
  for (Row* row : {&neighbours, &probe})
    row->settings["fitted"] = classes ? "retain, forget half" : "retain";
  const auto* test_labels = evidence.find_labels(model, "test");
  const bool tested = test_labels != nullptr && has_layer_on(model, layer, "test");
  const Part test =
      tested ? part_of(activations(model, layer, "test"), *test_labels, 0, 1) : Part{};
  std::vector<LabelledActivations> queries = {asked.view()};
  if (tested) queries.push_back(test.view());
  std::vector<std::vector<double>> probed = linear_probe(fitted.view(), queries, settings.ridge);
  if (tested) {
    neighbours.facts["test"] =
        json_number(mean(nearest_neighbours(fitted.view(), test.view(), settings.neighbours)));
    probe.facts["test"] = json_number(mean(probed[1]));
  }
  add_share(std::move(neighbours),
            nearest_neighbours(fitted.view(), asked.view(), settings.neighbours), out);
  add_share(std::move(probe), std::move(probed[0]), out);
}

/// The mean over references that have the layer.
void add_cka(std::string_view id, const evidence::Model& model, const std::string& layer,
             const Models& references, const Comparison& comparison, const Request& request,
             Measurements& out) {
  const Matrix ours = activations(model, layer, "forget");
  std::vector<double> values;
  for (const evidence::Model* reference : references) {
    if (!has_layer_on(*reference, layer, "forget")) continue;
    values.push_back(linear_cka(ours, activations(*reference, layer, "forget")));
  }
  if (values.empty()) return;
  Row row = row_of(id, layer, comparison, request);
  row.value = mean(values);
  row.n = ours.rows();
  row.facts["models"] = values.size();
  if (std::isnan(row.value)) {
    row.status = Status::undefined;
    row.notes = {reason(Code::activations_constant_or_too_few)};
  }
  out.rows.push_back(std::move(row));
}

Measurements measure_representation(const Comparison& comparison, const Request& request,
                                    Progress&) {
  Measurements out;
  const evidence::Model& model = *comparison.candidate.front();
  for (const auto& [layer, splits] : model.activations) {
    if (splits.count("forget") == 0) continue;
    add_classifiers(model, layer, comparison, request, out);
    add_cka("representation.cka.retrained", model, layer, comparison.retrained, comparison, request,
            out);
    add_cka("representation.cka.original", model, layer, comparison.original, comparison, request,
            out);
  }
  if (!out.rows.empty()) return out;
  Row row = make_row("representation.linear_probe", comparison, request);
  row.status = Status::skipped;
  row.notes = {reason(Code::needs_activations, std::vector<std::string>{"forget", "retain"},
                      model.id() + "/activations/LAYER/{forget,retain}.npy")};
  out.rows.push_back(std::move(row));
  return out;
}

Support representation_support(const evidence::Evidence& evidence) {
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      for (const auto& [layer, splits] : model.activations) {
        if (splits.count("forget") > 0) return {true, {}};
      }
    }
  }
  return {false,
          reason(Code::needs_activations, std::vector<std::string>{"forget", "retain", "test"},
                 "original/0/activations/LAYER/{forget,retain,test}.npy")};
}

// Retain rows twice: classifiers are fitted on a copy.
Reason representation_too_large(const evidence::Evidence& evidence, const Json&,
                                const Context& context) {
  return activations_beyond_memory(context, evidence, {"forget", "retain", "retain", "test"});
}

}  // namespace

Family representation_family() {
  return {.name = "representation",
          .summary =
              "what layers still contain of the forget set: linear probes and similarity of "
              "activations",
          .metrics = representation_metrics(),
          .ranges = {{"representation", kShare}},
          .support = representation_support,
          .prepare = each(measure_representation),
          .options = representation_options().options(),
          .too_large = representation_too_large};
}

}  // namespace vestige::metrics
