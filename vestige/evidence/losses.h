// Models that show a loss per row and nothing else, and losses of other answers to a question:
// losses/SPLIT.npy, losses/SPLIT.{paraphrased,perturbed}.npy and the same below tokens/.
#pragma once

#include <string_view>
#include <vector>

#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

/// True if the model has losses/SPLIT.npy.
bool has_losses(const Model& model, std::string_view split);

/// One loss per row, finite and at least 0. InputError names file and row.
std::vector<double> read_losses(const Evidence& evidence, const Model& model,
                                std::string_view split);

/// Which other answers: right in other words, or wrong in the same form.
enum class Answers { paraphrased, perturbed };
std::string_view name(Answers answers);

/// True if the model has losses or tokens of such answers.
bool has_answers(const Model& model, std::string_view split, Answers answers);

/// The mean negative log-likelihood per token of each such answer, by row of the split: [rows],
/// each at least one. From losses/SPLIT.perturbed ([rows] or [rows, answers]), else from
/// tokens/SPLIT.perturbed with .offsets and .groups (which row each answer belongs to; without
/// groups one answer a row, in order). InputError where an answer has no row or a row no answer.
std::vector<std::vector<double>> read_answers(const Evidence& evidence, const Model& model,
                                              std::string_view split, Answers answers);

/// Everything that is wrong with losses and answers.
Findings check_losses(const Evidence& evidence);

}  // namespace vestige::evidence
