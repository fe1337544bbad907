// Layers, pools of rows and drawn sets.
#include "vestige/metrics/sde/activation_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/base/text.h"
#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/stats/bootstrap.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr std::array<const char*, 3> kSplits = {"forget", "retain", "test"};
constexpr std::string_view kLogits = "logits";
/// Rows of a split that are used at most; more are thinned at random (time and memory grow with
/// their square).
constexpr std::size_t kLargestPool = 8192;

const evidence::Array* find_array(const evidence::Model& model, const std::string& layer,
                                  const std::string& split) {
  const auto at = model.activations.find(layer);
  const auto* by_split = at != model.activations.end() ? &at->second : nullptr;
  if (by_split == nullptr && layer == kLogits) by_split = &model.outputs;
  if (by_split == nullptr) return nullptr;
  const auto found = by_split->find(split);
  return found == by_split->end() ? nullptr : &found->second;
}

std::vector<std::string> known_layers(const evidence::Evidence& evidence) {
  std::set<std::string> names;
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      for (const auto& [layer, splits] : model.activations) names.insert(layer);
      if (has_layer(model, std::string(kLogits))) names.emplace(kLogits);
    }
  }
  return {names.begin(), names.end()};
}

/// Those of them that some model has on forget, retain and test.
std::vector<std::string> whole_layers(const evidence::Evidence& evidence) {
  std::vector<std::string> layers = known_layers(evidence);
  std::erase_if(layers, [&](const std::string& layer) {
    for (const evidence::Group& group : evidence.groups) {
      for (const evidence::Model& model : group.models) {
        if (has_layer(model, layer)) return false;
      }
    }
    return true;
  });
  return layers;
}

/// Rows of a split that may be drawn: those whose id no earlier split has, thinned to kLargestPool.
std::vector<std::uint32_t> pool_of(const evidence::Evidence& evidence, const std::string& split,
                                   std::size_t rows, std::set<std::string>& taken,
                                   std::uint64_t seed, std::vector<std::string>& notes) {
  std::vector<std::uint32_t> pool;
  const auto ids = evidence.ids.find(split);
  const bool named = ids != evidence.ids.end() && ids->second.size() == rows;
  for (std::size_t row = 0; row < rows; ++row) {
    if (!named || taken.count(ids->second[row]) == 0) {
      pool.push_back(static_cast<std::uint32_t>(row));
    }
  }
  if (named) taken.insert(ids->second.begin(), ids->second.end());
  if (pool.size() < rows) {
    notes.push_back(fmt::format("{} rows of {} were left out: their ids are also in {}",
                                rows - pool.size(), split,
                                split == "retain" ? "forget" : "forget or retain"));
  }
  if (pool.size() > kLargestPool) {
    notes.push_back(fmt::format("{} of {} {} rows are used, drawn at random", kLargestPool,
                                pool.size(), split));
    Stream stream(seed, "sde.pool." + split);
    stream.shuffle(std::span(pool));
    pool.resize(kLargestPool);
    std::sort(pool.begin(), pool.end());
  }
  return pool;
}

Matrix read_rows(const evidence::Array& array, std::span<const std::uint32_t> rows) {
  Matrix result(rows.size(), array.cols());
  parallel_ranges(rows.size(), 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) array.read_row(rows[row], result.row(row));
  });
  return result;
}

/// The first row that holds NaN or an infinity; rows() if none does.
std::size_t first_not_finite(const Matrix& matrix) {
  const auto values = matrix.values();
  const auto found = std::find_if(values.begin(), values.end(),
                                  [](double value) { return !std::isfinite(value); });
  return found == values.end() ? matrix.rows()
                               : static_cast<std::size_t>(found - values.begin()) / matrix.cols();
}

std::vector<std::uint32_t> all_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  for (std::size_t row = 0; row < count; ++row) rows[row] = static_cast<std::uint32_t>(row);
  return rows;
}

std::vector<HalvedSet> draw_sets(std::span<const std::uint32_t> pool, std::size_t size,
                                 std::size_t count, std::uint64_t seed, std::string_view purpose) {
  std::vector<HalvedSet> sets;
  for (std::size_t index = 0; index < count; ++index) {
    Stream stream(seed, purpose, index);
    sets.push_back(draw_set(pool, size, stream));
  }
  return sets;
}

/// Reads the three splits; false (with the problem filled in) where that cannot be measured.
bool read_splits(const Comparison& comparison, const Request& request, ActivationSets& sets) {
  const evidence::Model& model = *comparison.candidate.front();
  std::array<Matrix*, 3> matrices = {&sets.forget, &sets.retain, &sets.test};
  std::set<std::string> taken;
  for (std::size_t index = 0; index < kSplits.size(); ++index) {
    const std::string split = kSplits[index];
    const evidence::Array* array = find_array(model, sets.layer, split);
    if (array == nullptr) {
      sets.problem_status = Status::skipped;
      sets.problem =
          fmt::format("needs {} on forget, retain and test: add {}",
                      sets.layer == kLogits ? "outputs" : "activations",
                      sets.layer == kLogits
                          ? fmt::format("{}/{}.npy", model.id(), split)
                          : fmt::format("{}/activations/{}/{}.npy", model.id(), sets.layer, split));
      return false;
    }
    const auto pool =
        pool_of(*comparison.evidence, split, array->rows(), taken, request.seed, sets.notes);
    *matrices[index] = read_rows(*array, pool);
    require(matrices[index]->cols() == sets.forget.cols(),
            "{}: layer {} has {} columns on {} and {} on forget; export the same layer for both",
            model.id(), sets.layer, matrices[index]->cols(), split, sets.forget.cols());
    const std::size_t bad = first_not_finite(*matrices[index]);
    if (bad < matrices[index]->rows()) {
      sets.problem = fmt::format("layer {} holds NaN or infinities, first in row {} of {}",
                                 sets.layer, pool[bad], split);
      return false;
    }
  }
  return true;
}

}  // namespace

SigmaRule sigma_rule(const std::string& text) {
  if (text == "sqrt_dim" || text == "median") return {text, 0};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  require(error == std::errc() && end == text.data() + text.size() && number > 0 &&
              std::isfinite(number),
          "sde.sigma is {}: give sqrt_dim, median or a number above 0", text);
  return {"number", number};
}

const OptionTable<SetOptions>& set_option_table() {
  static const auto rows = [](const Json& value) -> std::string {
    const auto size = value.get<std::size_t>();
    return size == 0 || size >= 4 ? "" : "a set needs at least 4 rows, 2 in each half";
  };
  static const auto bandwidth = [](const Json& value) -> std::string {
    try {
      sigma_rule(value.get<std::string>());
      return {};
    } catch (const InputError&) {
      return "give sqrt_dim, median or a number above 0";
    }
  };
  static const OptionTable<SetOptions> table =
      OptionTable<SetOptions>("sde")
          .text(
              "layer",
              "Layers, separated by commas, or all (default: penultimate, else logits, else the "
              "only one)",
              [](SetOptions & s) -> auto& { return s.layer; })
          .text(
              "sigma", "Bandwidth of the kernel: sqrt_dim, median or a number",
              [](SetOptions & s) -> auto& { return s.sigma; }, {}, bandwidth)
          .count(
              "reference_draws", "Pairs of reference sets; 1 is the paper's form",
              [](SetOptions & s) -> auto& { return s.reference_draws; }, at_least(1))
          .count(
              "subsets", "Sets drawn from forget",
              [](SetOptions & s) -> auto& { return s.subsets; }, at_least(2))
          .count(
              "shuffles", "Shuffles of the second half of a set",
              [](SetOptions & s) -> auto& { return s.shuffles; }, at_least(20))
          .count(
              "bandwidths", "F1 at so many bandwidths from 1 to the larger of sqrt_dim and median",
              [](SetOptions & s) -> auto& { return s.bandwidths; })
          .text("bandwidths_to",
                "distance: as above, in equal steps; dimension: to the dimension, in equal ratios",
                [](SetOptions & s) -> auto& { return s.bandwidths_to; }, {"distance", "dimension"})
          .count(
              "size", "Rows of a set; 0: 2000, 1000 or 400, at most half of forget",
              [](SetOptions & s) -> auto& { return s.size; }, rows);
  return table;
}

SetOptions set_options(const Request& request) { return set_option_table().read(request.options); }

std::size_t subset_size(std::size_t rows) {
  for (const std::size_t size : {2000U, 1000U, 400U}) {
    if (2 * size <= rows) return size;
  }
  return rows / 2;
}

bool never_saw_forget(const evidence::Model& model) {
  return model.role == "retrained" ||
         (model.role == "checkpoint" && model.method.starts_with("retrained."));
}

bool has_layer(const evidence::Model& model, const std::string& layer) {
  return std::all_of(kSplits.begin(), kSplits.end(),
                     [&](const char* split) { return find_array(model, layer, split) != nullptr; });
}

std::vector<std::string> layers_to_measure(const evidence::Evidence& evidence,
                                           const Request& request) {
  const std::vector<std::string> known = known_layers(evidence);
  const std::string asked = set_options(request).layer;
  if (asked == "all") return known;
  if (asked.empty()) {
    const bool penultimate = std::find(known.begin(), known.end(), "penultimate") != known.end();
    if (penultimate) return {"penultimate"};
    const std::vector<std::string> whole = whole_layers(evidence);
    return {whole.size() == 1 ? whole.front() : std::string(kLogits)};
  }
  std::vector<std::string> layers;
  for (std::size_t start = 0; start <= asked.size();) {
    const std::size_t comma = std::min(asked.find(',', start), asked.size());
    const std::string layer = asked.substr(start, comma - start);
    require(std::find(known.begin(), known.end(), layer) != known.end(),
            "sde.layer: no model of this evidence has a layer \"{}\"; the nearest is \"{}\"", layer,
            nearest(layer, known));
    layers.push_back(layer);
    start = comma + 1;
  }
  return layers;
}

Support activation_support(const evidence::Evidence& evidence) {
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      for (const auto& [layer, splits] : model.activations) {
        if (has_layer(model, layer)) return {true, ""};
      }
    }
  }
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      if (has_layer(model, std::string(kLogits))) {
        return {true,
                "no activations: the outputs are used; add original/0/activations/penultimate/"
                "{forget,retain,test}.npy"};
      }
    }
  }
  return {false,
          "needs one layer on three splits: add "
          "original/0/activations/penultimate/{forget,retain,test}.npy"};
}

bool ActivationSets::constant() const {
  const auto first = forget.row(0);
  for (const Matrix* matrix : {&forget, &retain, &test}) {
    for (std::size_t row = 0; row < matrix->rows(); ++row) {
      if (!std::equal(first.begin(), first.end(), matrix->row(row).begin())) return false;
    }
  }
  return true;
}

ActivationSets activation_sets(const Comparison& comparison, const Request& request,
                               const std::string& layer) {
  const SetOptions options = set_options(request);
  ActivationSets sets;
  sets.layer = layer;
  if (!read_splits(comparison, request, sets)) return sets;
  const std::size_t forget = sets.forget.rows();
  require(options.size <= forget, "sde.size is {}, but forget has {} rows: give at most that",
          options.size, forget);
  std::size_t size = options.size > 0 ? options.size : subset_size(forget);
  const std::size_t references = std::min(sets.retain.rows(), sets.test.rows());
  if (size > references) {
    sets.notes.push_back(fmt::format("sets have {} rows instead of {}: retain has {}, test {}",
                                     references, size, sets.retain.rows(), sets.test.rows()));
    size = references;
  }
  if (size < 4) {
    sets.problem = fmt::format(
        "sets of {} rows cannot be split into halves of 2: forget has {} rows, retain {}, test {}; "
        "give at least 8 of each",
        size, forget, sets.retain.rows(), sets.test.rows());
    return sets;
  }
  if (size % 2 == 1) {
    sets.notes.push_back(fmt::format("sets of {} rows: the last row is dropped", size));
    size -= 1;
  }
  sets.size = size;
  sets.targets = draw_sets(all_rows(forget), size, options.subsets, request.seed, "sde.set.forget");
  sets.ins = draw_sets(all_rows(sets.retain.rows()), size, options.reference_draws, request.seed,
                       "sde.set.retain");
  sets.outs = draw_sets(all_rows(sets.test.rows()), size, options.reference_draws, request.seed,
                        "sde.set.test");
  return sets;
}

ControlSets control_sets(const ActivationSets& sets, const Request& request) {
  const SetOptions options = set_options(request);
  ControlSets result;
  std::vector<std::uint32_t> retain = all_rows(sets.retain.rows());
  std::vector<std::uint32_t> test = all_rows(sets.test.rows());
  const std::size_t half = std::min(retain.size(), test.size()) / 2;
  // As with forget: a set holds at most half of the rows that it is drawn from.
  const std::size_t size = std::min(sets.size, half / 2) / 2 * 2;
  if (size < 4) return result;
  result.size = size;
  Stream(request.seed, "sde.control.retain").shuffle(std::span(retain));
  Stream(request.seed, "sde.control.test").shuffle(std::span(test));
  const auto reference = [](const std::vector<std::uint32_t>& rows) {
    return std::span(rows).first(rows.size() / 2);
  };
  const auto target = [](const std::vector<std::uint32_t>& rows) {
    return std::span(rows).subspan(rows.size() / 2);
  };
  const std::size_t each = options.subsets / 2;
  const std::uint64_t seed = request.seed;
  result.ins = draw_sets(reference(retain), size, options.reference_draws, seed, "sde.control.in");
  result.outs = draw_sets(reference(test), size, options.reference_draws, seed, "sde.control.out");
  result.retain_targets = draw_sets(target(retain), size, each, seed, "sde.control.member");
  result.test_targets = draw_sets(target(test), size, each, seed, "sde.control.other");
  if (size == sets.size) {
    result.forget_targets.assign(
        sets.targets.begin(),
        sets.targets.begin() + static_cast<std::ptrdiff_t>(std::min(each, sets.targets.size())));
  } else {
    result.forget_targets =
        draw_sets(all_rows(sets.forget.rows()), size, each, seed, "sde.control.forget");
  }
  return result;
}

double median_of_one_set(const ActivationSets& sets) {
  std::vector<std::uint32_t> rows = sets.targets.front().first;
  rows.insert(rows.end(), sets.targets.front().second.begin(), sets.targets.front().second.end());
  Matrix set(rows.size(), sets.forget.cols());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::copy_n(sets.forget.row(rows[row]).begin(), sets.forget.cols(), set.row(row).begin());
  }
  return median_distance(set);
}

Row set_row(std::string_view id, const ActivationSets& sets, const Comparison& comparison,
            const Request& request) {
  const SetOptions options = set_options(request);
  Row row = make_row(id, comparison, request);
  row.settings["layer"] = sets.layer;
  if (sets.size > 0) row.facts["size"] = sets.size;
  row.facts["subsets"] = options.subsets;
  row.facts["reference_draws"] = options.reference_draws;
  return row;
}

void fill_rate(Row& row, const OverPairs& rate, std::string_view precondition) {
  const std::size_t draws = rate.per_pair.size();
  row.facts["passed"] = rate.passed;
  row.facts["ties"] = rate.ties;
  if (rate.inconclusive()) {
    row.status = Status::undefined;
    row.note = fmt::format("inconclusive: {} of {} reference pairs {}; at least half must",
                           rate.passed, draws, precondition);
    return;
  }
  if (rate.ties == rate.verdicts) {
    row.status = Status::undefined;
    row.note = "inconclusive: both references are equally far from every set";
    return;
  }
  row.value = rate.mean;
  row.terms = rate.per_pair;
  row.lower = rate.lower;
  row.upper = rate.upper;
  if (rate.passed >= 2) {
    row.interval = "central 95 % over reference pairs";
  }
}

void fill_f1(Row& row, const std::vector<PairVerdicts>& pairs, std::size_t members,
             std::string_view precondition, const Request& request) {
  fill_rate(row, f1_score(pairs, members), precondition);
  row.terms.clear();
  if (pairs.size() != 1 || std::isnan(row.value)) return;
  const auto& verdicts = pairs.front().verdicts;
  const Estimate estimate = bootstrap(
      verdicts.size(),
      [&](std::span<const std::size_t> indices) { return f1_of(verdicts, indices, members); },
      {.kind = BootstrapKind::percentile, .seed = request.seed, .purpose = "sde.f1"});
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  row.interval = "bootstrap 95 % over sets";
}

void add_problem(std::span<const MetricInfo> ids, const ActivationSets& sets,
                 const Comparison& comparison, const Request& request, std::string_view rule,
                 Measurements& out) {
  for (const MetricInfo& info : ids) {
    if (info.id.ends_with(".f1.retrained") && !never_saw_forget(*comparison.candidate.front())) {
      continue;
    }
    if (info.id.starts_with("sde.batch.")) continue;  // of models with fixed batches only
    Row row = set_row(info.id, sets, comparison, request);
    if (!rule.empty()) row.settings["rule"] = rule;
    row.status = sets.problem_status;
    row.note = sets.problem;
    out.rows.push_back(std::move(row));
  }
}

}  // namespace vestige::metrics
