// What one evaluation log says of one model, with examples in numeric order of their indices.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "vestige/import/log_values.h"

namespace vestige::importing {

/// Questions of one split: TOFU's forget, retain, real authors or world facts.
struct QuestionLog {
  Column loss;         ///< Q_A_Prob: avg_loss
  Column probability;  ///< Q_A_Prob: prob
  Column paraphrased;  ///< Q_A_PARA_Prob: avg_loss
  Column perturbed;    ///< Q_A_PERT_Prob: avg_loss
  Column rouge;        ///< Q_A_ROUGE: rougeL_recall
  Lines generated;     ///< Q_A_ROUGE: generation
  Lines truth;         ///< Q_A_ROUGE: ground_truth
};

struct ModelLog {
  std::string file;
  std::string id;                             ///< "unlearned/NPO/0"
  std::map<std::string, QuestionLog> splits;  ///< "forget", "retain", "real_authors", ...
  /// "mia_loss" -> "forget", "holdout"; "extraction_strength" -> "forget"
  std::map<std::string, std::map<std::string, Column>> scores;
  std::map<std::string, double> said;  ///< agg_value of each metric; NaN: null
  std::vector<std::string> not_read;   ///< metrics with values that this program does not know
};

/// TOFU_EVAL.json or MUSE_EVAL.json of OpenUnlearning.
ModelLog read_openunlearning_log(const std::string& file, const Log& log);
/// eval_log_aggregated.json of TOFU's own repository.
ModelLog read_tofu_log(const std::string& file, const Log& log);

}  // namespace vestige::importing
