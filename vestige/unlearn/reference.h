// The arithmetic of methods on plain arrays, for reference cases. No LibTorch in this header.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace vestige::unlearn {

struct ReferenceArray {
  std::vector<double> values;       ///< row by row
  std::vector<std::int64_t> shape;  ///< sizes multiply to the number of values
};

/// Inputs and parameters by the names that the cases use.
struct ReferenceInput {
  std::map<std::string, ReferenceArray> arrays;
  std::map<std::string, double> parameters;

  /// InputError if it is missing.
  const ReferenceArray& array(const std::string& name) const;
  double parameter(const std::string& name, double fallback) const;
};

/// Outputs by the names that the cases expect, flattened row by row.
using ReferenceOutput = std::map<std::string, std::vector<double>>;

/// weights, imp_all, imp_forget; alpha, lam -> weights_out.
ReferenceOutput reference_ssd_dampen(const ReferenceInput& input);
/// fisher_forget, fisher_remain; threshold -> mask (0 or 1).
ReferenceOutput reference_sfron_mask(const ReferenceInput& input);
/// logits [n, classes], labels [n]; lam, eps -> loss.
ReferenceOutput reference_sfron_adaptive_loss(const ReferenceInput& input);
/// grad0, grad1, ...; fraction -> mask_flat (0 or 1), the tensors one after the other.
ReferenceOutput reference_salun_mask(const ReferenceInput& input);
/// student, teacher [n, classes]; T -> loss.
ReferenceOutput reference_scrub_kd(const ReferenceInput& input);

}  // namespace vestige::unlearn
