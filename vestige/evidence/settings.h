// evidence.toml: what the arrays alone cannot say.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace vestige::evidence {

struct Settings {
  std::optional<std::string> kind;  ///< "logits", "probabilities" or "log_probabilities"
  std::optional<std::size_t> classes;
  std::map<std::string, std::string> pairing;      ///< "unlearned/finetune/3" -> "original/3"
  std::map<std::string, double> removed_fraction;  ///< "25" -> 0.25, in [0, 1]
  std::map<std::string, double> seconds;           ///< "finetune" -> 12.5
  std::map<std::string, double> membership;        ///< "graded.0.25" -> 0.25, in [0, 1]
  std::optional<std::string> token_moments;        ///< "weighted" or "uniform"
  bool sequence_losses = false;           ///< losses are mean negative log-likelihoods of sequences
  std::optional<std::size_t> vocabulary;  ///< tokens that language models know
  std::map<std::string, std::string> score_directions;  ///< "judge" -> "higher"
  std::map<std::string, std::string> choice_goals;      ///< "wmdp" -> "chance"
  bool exchangeable = false;  ///< forget rows are a random draw from where test rows come from
  std::string notes;
};

/// InputError with the line number for anything that is not understood; unknown keys are errors,
/// because a misspelt key would otherwise be passed over in silence.
Settings parse_settings(std::string_view text, std::string_view source_name);

}  // namespace vestige::evidence
