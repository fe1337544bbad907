// Multiple-choice questions: which option a language model finds most probable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::metrics {

/// For each question of `values` [questions, options] 1 if the right option has the largest value,
/// 0 if another has, and 1 / t where t options share the largest value and the right one is among
/// them: what a guess between them is worth. -inf marks an option that a question does not have.
/// There are as many labels as questions, each the number of an option.
std::vector<double> chosen_right(MatrixView values, std::span<const std::int64_t> labels);

/// Probability of the right option among the options of its question, from log-likelihoods.
std::vector<double> right_probabilities(MatrixView values, std::span<const std::int64_t> labels);

/// What guessing is worth: the mean of 1 / options. NaN without questions.
double chance_level(MatrixView values);

/// The option that is chosen for most questions, by its place, and for which share of them.
struct MostChosen {
  std::size_t option = 0;
  double share = 0;
};
/// Of options with the largest value the first is chosen, as by arg max.
MostChosen most_chosen(MatrixView values);

}  // namespace vestige::metrics
