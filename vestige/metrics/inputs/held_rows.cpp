// Counting rows against the memory of a context.
#include "vestige/metrics/inputs/held_rows.h"

#include <algorithm>

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

std::size_t rows_within_memory(const Context& context, std::size_t columns) {
  return columns == 0 ? 0 : context.memory() / held_bytes(1, columns);
}

Reason beyond_memory(const Context& context, std::string_view array, std::size_t rows,
                     std::size_t columns) {
  const double needed = static_cast<double>(rows) * static_cast<double>(columns) * sizeof(double);
  const auto allowed = static_cast<double>(context.memory());
  if (needed <= allowed) return {};
  return reason(Code::exceeds_memory, array, rows, columns, needed / 1e9, allowed / 1e9,
                rows_within_memory(context, columns));
}

Reason outputs_beyond_memory(const Context& context, const evidence::Evidence& evidence,
                             Splits splits) {
  std::size_t most = 0, columns = 0;
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      most = std::max(most, rows_in(model.outputs, splits, columns));
    }
  }
  return beyond_memory(context, "outputs", most, columns);
}

Reason activations_beyond_memory(const Context& context, const evidence::Evidence& evidence,
                                 Splits splits) {
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      for (const auto& [layer, arrays] : model.activations) {
        std::size_t columns = 0;
        const std::size_t rows = rows_in(arrays, splits, columns);
        Reason why = beyond_memory(context, "activations/" + layer, rows, columns);
        if (!why.empty()) return why;
      }
    }
  }
  return {};
}

}  // namespace vestige::metrics
