// From one column to two.
#include "vestige/evidence/binary.h"

#include <algorithm>
#include <cmath>

namespace vestige::evidence {

bool has_one_column(const Array& outputs) {
  if (!is_floating(outputs.dtype())) return false;
  return outputs.rank() == 1 ||
         (outputs.rank() <= 3 && outputs.rank() > 1 && outputs.shape().back() == 1);
}

bool within_zero_and_one(const Array& outputs) {
  const std::vector<double> values = outputs.doubles();
  return std::all_of(values.begin(), values.end(), [](double value) {
    return !std::isfinite(value) || (value >= 0 && value <= 1);
  });
}

Array two_columns(const Array& outputs, OutputKind kind) {
  std::vector<double> columns;
  columns.reserve(2 * outputs.size());
  for (const double value : outputs.doubles()) {
    double other = 0;
    // A value that is not finite stays one in both columns, so that the checks name the row.
    if (std::isnan(value)) {
      other = value;
    } else if (kind == OutputKind::probabilities) {
      other = 1 - value;
    } else if (kind == OutputKind::log_probabilities) {
      other = std::log1p(-std::exp(std::min(value, 0.0)));
    }
    columns.push_back(other);
    columns.push_back(value);
  }
  std::vector<std::size_t> shape = outputs.shape();
  if (shape.size() > 1) shape.pop_back();
  shape.push_back(2);
  return Array::from_doubles(std::move(columns), std::move(shape));
}

}  // namespace vestige::evidence
