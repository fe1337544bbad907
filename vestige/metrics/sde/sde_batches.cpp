// The SDE paper's toy experiment: rows that shared every gradient step against rows that did not.
#include <algorithm>
#include <cmath>
#include <map>

#include "vestige/metrics/sde/sde_extras.h"
#include "vestige/metrics/sde/set_options.h"
#include "vestige/metrics/sde/set_rows.h"
#include "vestige/metrics/stats/rank_tests.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

/// Activations of all rows that were trained on, and the rows of every whole batch.
struct Batches {
  Matrix rows;
  std::vector<std::vector<std::uint32_t>> members;
};

const evidence::Array* layer_of(const evidence::Model& model, const std::string& layer,
                                const std::string& split) {
  const auto at = model.activations.find(layer);
  const auto& by_split = at == model.activations.end() ? model.outputs : at->second;
  const auto found = by_split.find(split);
  return found == by_split.end() ? nullptr : &found->second;
}

Batches batches_of(const evidence::Model& model, const std::string& layer) {
  std::vector<Matrix> parts;
  std::map<std::int64_t, std::vector<std::uint32_t>> members;
  std::uint32_t before = 0;
  for (const char* split : {"forget", "retain"}) {
    const auto numbers = model.batches.find(split);
    const evidence::Array* array = layer_of(model, layer, split);
    if (numbers == model.batches.end() || array == nullptr) continue;
    const std::vector<std::int64_t> batch = numbers->second.integers();
    for (std::size_t row = 0; row < batch.size(); ++row) {
      if (batch[row] >= 0) members[batch[row]].push_back(before + static_cast<std::uint32_t>(row));
    }
    parts.push_back(evidence::matrix(*array));
    before += static_cast<std::uint32_t>(batch.size());
  }
  Batches result;
  if (parts.empty()) return result;
  result.rows = Matrix(before, parts.front().cols());
  std::size_t place = 0;
  for (const Matrix& part : parts) {
    for (std::size_t row = 0; row < part.rows(); ++row) {
      std::copy_n(part.row(row).begin(), part.cols(), result.rows.row(place++).begin());
    }
  }
  std::size_t whole = 0;
  for (const auto& [number, rows] : members) whole = std::max(whole, rows.size());
  for (auto& [number, rows] : members) {
    if (rows.size() == whole) result.members.push_back(std::move(rows));
  }
  return result;
}

/// `size` rows, each of another batch as far as there are that many.
HalvedSet across(const Batches& batches, std::size_t size, Stream& stream) {
  std::vector<std::uint32_t> rows;
  while (rows.size() < size) {
    const std::size_t count = std::min(size - rows.size(), batches.members.size());
    for (const std::size_t batch : stream.sample(batches.members.size(), count)) {
      const auto& members = batches.members[batch];
      const std::uint32_t row = members[stream.below(members.size())];
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
    }
  }
  return draw_set(rows, size, stream);
}

std::vector<double> means_of(const std::vector<Dependence>& sets) {
  std::vector<double> means;
  for (const Dependence& set : sets) means.push_back(mean(set.values));
  return means;
}

void fill_mean(Row& row, const std::vector<double>& means) {
  const Estimate estimate = t_interval(means);
  row.value = estimate.value;
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  row.interval = result::Code::t_over_sets;
}

/// Pairs of sets of which the first is more dependent by the paper's test over shuffles.
std::size_t passes(const std::vector<Dependence>& left, const std::vector<Dependence>& right) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (references_differ(left[i].values, right[i].values)) ++count;
  }
  return count;
}

}  // namespace

void add_batches(const std::string& layer, double sigma, const Comparison& comparison,
                 const Request& request, Measurements& out) {
  const evidence::Model& model = *comparison.candidate.front();
  if (model.batches.empty()) return;
  const Batches batches = batches_of(model, layer);
  const std::size_t size = batches.members.empty() ? 0 : batches.members.front().size() / 2 * 2;
  if (size < 4 || batches.members.size() < 2) return;
  // Every batch once, and as many sets across batches, twice: the second are what the first would
  // be compared with if batches meant nothing.
  std::vector<HalvedSet> same, cross, again;
  for (std::size_t index = 0; index < batches.members.size(); ++index) {
    Stream own(request.seed, "sde.batch.same", index),
        other(request.seed, "sde.batch.cross", index), null(request.seed, "sde.batch.null", index);
    same.push_back(draw_set(batches.members[index], size, own));
    cross.push_back(across(batches, size, other));
    again.push_back(across(batches, size, null));
  }
  const SetGroup groups[] = {{same, "sde.shuffle.batch.same"},
                             {cross, "sde.shuffle.batch.cross"},
                             {again, "sde.shuffle.batch.null"}};
  const auto found = split_half_dependence(batches.rows, groups,
                                           {.sigma = sigma,
                                            .shuffles = set_options(request).shuffles,
                                            .seed = request.seed,
                                            .share = -1,
                                            .kernel = set_options(request).kernel});
  const auto row_of = [&](const char* id) {
    Row row = make_row(id, comparison, request);
    row.settings["layer"] = layer;
    row.facts["size"] = size;
    add_kernel(row, sigma, request);
    row.n = same.size();
    return row;
  };
  const std::vector<double> within = means_of(found[0]), between = means_of(found[1]);
  Row of_same = row_of("sde.batch.same"), of_cross = row_of("sde.batch.cross");
  fill_mean(of_same, within);
  fill_mean(of_cross, between);
  Row gap = row_of("sde.batch.gap");
  gap.value = of_cross.value > 0 ? of_same.value / of_cross.value - 1 : kUndefined;
  if (std::isnan(gap.value)) {
    gap.status = Status::undefined;
    gap.notes = {reason(Code::no_dependence_across_batches)};
  }
  Row p = row_of("sde.batch.p");
  p.value = mann_whitney(within, between, Alternative::greater).p;
  p.facts["first_pair"] = json_number(
      mann_whitney(found[0].front().values, found[1].front().values, Alternative::greater).p);
  if (std::isnan(p.value)) {
    p.status = Status::undefined;
    p.notes = {reason(Code::dependence_is_constant)};
  }
  Row passed = row_of("sde.batch.passed");
  const Estimate share = clopper_pearson(passes(found[0], found[1]), same.size());
  passed.value = share.value;
  passed.lower = share.lower;
  passed.upper = share.upper;
  passed.interval = result::Code::clopper_pearson_over_pairs;
  passed.facts["of_cross_pairs"] =
      static_cast<double>(passes(found[2], found[1])) / static_cast<double>(same.size());
  for (Row* row : {&of_same, &of_cross, &gap, &p, &passed}) out.rows.push_back(std::move(*row));
}

}  // namespace vestige::metrics
