// Rows of outputs a block at a time, so that evidence may be larger than memory: arrays stay mapped
// and no more than a block of doubles is held.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "vestige/base/matrix.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

/// Rows that are held at once: 2 MB of doubles at 1,000 classes.
inline constexpr std::size_t kRowsPerBlock = 256;

/// Calls use(first, last) on blocks of rows that cover [0, rows), in parallel; bodies write to
/// places that depend on the row alone.
void for_row_blocks(std::size_t rows,
                    const std::function<void(std::size_t first, std::size_t last)>& use);

/// Row `row` as numbers whose softmax are its probabilities: as it stands, or the logarithms of
/// exported probabilities, of which those below 1e-45 count as that.
void read_logits(const Array& outputs, OutputKind kind, std::size_t row, std::span<double> out);
/// Row `row` as probabilities, which sum to 1.
void probabilities(const Array& outputs, OutputKind kind, std::size_t row, std::span<double> out);

/// Rows [first, last) as probabilities, in this thread.
Matrix probabilities(const Array& outputs, OutputKind kind, std::size_t first, std::size_t last);
/// The rows with these indices as probabilities.
Matrix probabilities(const Array& outputs, OutputKind kind, std::span<const std::size_t> rows);
/// Rows [first, last) as they stand.
Matrix matrix(const Array& array, std::size_t first, std::size_t last);
/// The rows with these indices as they stand.
Matrix matrix(const Array& array, std::span<const std::size_t> rows);

}  // namespace vestige::evidence
