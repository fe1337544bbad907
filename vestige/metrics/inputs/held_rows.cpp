// Counting rows against memory().
#include "vestige/metrics/inputs/held_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/base/memory.h"

namespace vestige::metrics {
namespace {

using Splits = std::initializer_list<std::string_view>;

std::size_t rows_in(const std::map<std::string, evidence::Array>& arrays, const Splits& splits,
                    std::size_t& columns) {
  std::size_t rows = 0;
  for (const std::string_view split : splits) {
    const auto found = arrays.find(std::string(split));
    if (found == arrays.end()) continue;
    rows += found->second.rows();
    columns = found->second.cols();
  }
  return rows;
}

}  // namespace

std::size_t held_bytes(std::size_t rows, std::size_t columns) {
  return rows * columns * sizeof(double);
}

std::size_t rows_within_memory(std::size_t columns) {
  return columns == 0 ? 0 : memory() / held_bytes(1, columns);
}

std::string beyond_memory(std::string_view what, std::size_t rows, std::size_t columns) {
  const double needed = static_cast<double>(rows) * static_cast<double>(columns) * sizeof(double);
  const auto allowed = static_cast<double>(memory());
  if (needed <= allowed) return {};
  return fmt::format(
      "would hold {} at once, {} rows of {} columns or {:.1f} GB: it takes at most {} such "
      "rows in the {:g} GB that it is given; export fewer rows, or give --memory {:.0f}",
      what, rows, columns, needed / 1e9, rows_within_memory(columns), allowed / 1e9,
      std::ceil(needed / 1e9));
}

std::string outputs_beyond_memory(const evidence::Evidence& evidence, Splits splits) {
  std::size_t most = 0, columns = 0;
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      most = std::max(most, rows_in(model.outputs, splits, columns));
    }
  }
  return beyond_memory("the outputs of a model", most, columns);
}

std::string activations_beyond_memory(const evidence::Evidence& evidence, Splits splits) {
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      for (const auto& [layer, arrays] : model.activations) {
        std::size_t columns = 0;
        const std::size_t rows = rows_in(arrays, splits, columns);
        std::string why = beyond_memory("the activations " + layer + " of a model", rows, columns);
        if (!why.empty()) return why;
      }
    }
  }
  return {};
}

}  // namespace vestige::metrics
