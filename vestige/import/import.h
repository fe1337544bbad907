// Evidence from what other programs have already logged: one function per format.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vestige/import/draft.h"
#include "vestige/result/reason.h"

namespace vestige::importing {

/// One split of one model that was read.
struct ImportedSplit {
  std::string file;
  std::string model;  ///< "unlearned/NPO/0"
  std::string split;  ///< "forget", "test", "utility.retain"
  std::size_t examples = 0;
};

/// A number of the log, computed again from the values that were read.
struct Recomputed {
  std::string model;
  std::string key;   ///< as in the log: "forget_quality"
  double value = 0;  ///< NaN: undefined
  double said = 0;   ///< NaN: the log has none
  bool agrees = true;
};

struct Imported {
  Draft draft;
  std::vector<ImportedSplit> splits;
  std::vector<Recomputed> recomputed;
  std::vector<result::Reason> remarks;
};

struct ImportOptions {
  std::vector<std::string> map = {};   ///< ROLE=PATH
  std::string model = {};              ///< which, where a folder has logs of several
  std::string forget = {};             ///< likewise "forget10"
  std::size_t models = 0;              ///< EasyDUB: the first so many of each kind; 0: all
  std::vector<std::string> goal = {};  ///< TASK=GOAL of lm-evaluation-harness; TASK may end in *
};

/// Logs of locuslab/open-unlearning, and of TOFU's own repository, below a folder.
Imported openunlearning(const std::filesystem::path& saves, const ImportOptions& options);

/// A CSV file with the columns model, split, example and score, as scores/NAME/SPLIT.npy;
/// `direction` is higher, lower or match. All models must have scores of the same examples.
Imported scores(const std::filesystem::path& file, const std::string& name,
                const std::string& direction);

/// Sample logs of lm-evaluation-harness, samples_TASK_DATE.jsonl, in one folder per model: the
/// options of multiple-choice tasks as choices/TASK.npy, metrics of every example of other tasks as
/// scores/TASK.METRIC/examples.npy.
Imported lm_eval(const std::filesystem::path& folder, const ImportOptions& options);

/// Margins of EasyDUB: the right class against all others, as outputs of two classes. `forget` is
/// the number of the forget set; unlearned models come from `map`.
Imported easydub(const std::filesystem::path& root, const ImportOptions& options);

}  // namespace vestige::importing
