// The rows of a whole experiment: what every audit of every variant said.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vestige/metrics/result.h"

namespace vestige::study {

/// One number of an experiment, and which part of the experiment it comes from.
struct StudyRow {
  std::string arm;                ///< the variant of the recipe: "random", "class"
  std::uint64_t split_seed = 0;   ///< which repeat of the arm: another split, other models
  std::string audit;              ///< which way of measuring: "main", "one shadow"
  std::uint64_t attack_seed = 1;  ///< of the audit
  metrics::Row row;
  /// Which originals on which split; arms with the same measure the same thing twice. Empty: the
  /// arm's own.
  std::string models{};
};

/// What a row is about, read from `row.model`: role "unlearned", group "finetune", original "3",
/// run "1" of unlearned/finetune/3.1; original and run are empty for pooled rows.
struct Subject {
  std::string role;      ///< original, retrained, unlearned, partial, collapsed, ...
  std::string method;    ///< the method, or the role where there is none; partial: "partial/25"
  std::string original;  ///< the model's name without the run
  std::string run;       ///< which of several runs on one original; "0" if there is only one
};

Subject subject_of(const metrics::Row& row);

}  // namespace vestige::study
