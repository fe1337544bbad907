// Checks on evidence that was read: everything the audit would trip over.
#pragma once

#include <string>
#include <vector>

#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

/// Not-a-number and infinite items of an array, by row.
struct NonFinite {
  std::size_t items = 0;
  std::vector<std::size_t> first_rows;  ///< at most three
};

/// Looks at exponent bits only, so it runs at the speed of memory. `allow_minus_infinity` is for
/// log-probabilities, where it means a probability of 0.
NonFinite find_non_finite(const Array& array, bool allow_minus_infinity = false);

/// True if there are at least two rows and all are the same bytes.
bool all_rows_equal(const Array& array);

/// The file behind a key as the user knows it: "labels/forget" -> "labels/forget.npy"; the key
/// itself in an archive.
std::string file_of(const Evidence& evidence, const std::string& key);
/// The file of a model's array, with the model's place in a stacked pool.
std::string file_of(const Evidence& evidence, const Model& model, const std::string& below);

/// Finite values, constant outputs, label ranges, ids, row order, settings. Shapes were
/// checked on reading.
Findings check(const Evidence& evidence);

}  // namespace vestige::evidence
