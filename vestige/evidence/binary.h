// Binary models with one output: a logit z stands for [0, z], a probability p for [1 - p, p].
#pragma once

#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

/// [n], [n, 1] or, of a stacked pool, [k, n, 1], of floating numbers.
bool has_one_column(const Array& outputs);

/// True if every finite value is a probability. So are logits of no real model: among many rows one
/// is negative or above 1.
bool within_zero_and_one(const Array& outputs);

/// [n, 2] or [k, n, 2]: columns of class 0 and class 1, of the same kind as `outputs`.
Array two_columns(const Array& outputs, OutputKind kind);

}  // namespace vestige::evidence
