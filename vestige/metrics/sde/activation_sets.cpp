// Pools of rows and drawn sets.
#include "vestige/metrics/sde/activation_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/sde/activation_layers.h"
#include "vestige/metrics/sde/set_options.h"

namespace vestige::metrics {
namespace {

/// Rows of a split that may be drawn: those whose id no earlier split has, thinned to kLargestPool.
std::vector<std::uint32_t> pool_of(const evidence::Evidence& evidence, const std::string& split,
                                   std::size_t rows, std::set<std::string>& taken,
                                   std::uint64_t seed, Reasons& notes,
                                   const std::vector<std::string>& earlier) {
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
    notes.push_back(reason(Code::examples_in_other_splits, rows - pool.size(), split, earlier));
  }
  if (pool.size() > kLargestPool) {
    notes.push_back(reason(Code::examples_drawn, kLargestPool, pool.size(), split));
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
  const SetOptions options = set_options(request);
  const std::array<std::string, 3> splits = {"forget", options.in, options.out};
  std::set<std::string> taken;
  std::vector<std::string> earlier;
  for (std::size_t index = 0; index < splits.size(); ++index) {
    const std::string& split = splits[index];
    const evidence::Array* array = layer_array(model, sets.layer, split);
    if (array == nullptr) {
      sets.problem_status = Status::skipped;
      sets.problem =
          sets.layer == kOutputsLayer
              ? reason(Code::needs_outputs, std::vector{split},
                       fmt::format("{}/{}.npy", model.id(), split))
              : reason(Code::needs_activations, std::vector{split},
                       fmt::format("{}/activations/{}/{}.npy", model.id(), sets.layer, split));
      return false;
    }
    const auto pool = pool_of(*comparison.evidence, split, array->rows(), taken, request.seed,
                              sets.notes, earlier);
    earlier.push_back(split);
    *matrices[index] = read_rows(*array, pool);
    require(matrices[index]->cols() == sets.forget.cols(),
            "{}: layer {} has {} columns on {} and {} on forget; export the same layer for both",
            model.id(), sets.layer, matrices[index]->cols(), split, sets.forget.cols());
    const std::size_t bad = first_not_finite(*matrices[index]);
    if (bad < matrices[index]->rows()) {
      sets.problem = reason(Code::layer_not_finite, sets.layer, split, pool[bad]);
      return false;
    }
  }
  return true;
}

}  // namespace

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
  require(options.size <= forget,
          "sde.size is {}, but the forget set has {} examples: give at most that", options.size,
          forget);
  std::size_t size = options.size > 0 ? options.size : subset_size(forget);
  const std::size_t references = std::min(sets.retain.rows(), sets.test.rows());
  if (size > references) {
    sets.notes.push_back(
        reason(Code::sets_smaller, references, size, sets.retain.rows(), sets.test.rows()));
    size = references;
  }
  if (size < 4) {
    sets.problem =
        reason(Code::few_examples_for_sets, size, forget, sets.retain.rows(), sets.test.rows());
    return sets;
  }
  if (size % 2 == 1) {
    sets.notes.push_back(reason(Code::odd_set_size, size));
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
  // As with forget: a set holds at most half of the rows that it is drawn from, or all of them
  // where its size was asked for.
  const std::size_t most = options.size > 0 ? half : half / 2;
  const std::size_t size = std::min(sets.size, most) / 2 * 2;
  if (size < 4) return result;
  result.size = size;
  if (size < sets.size) {
    result.smaller = reason(Code::sets_smaller, size, sets.size, retain.size(), test.size());
  }
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

}  // namespace vestige::metrics
