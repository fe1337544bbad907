// The rows of a whole experiment: what every audit of every variant said.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vestige/metrics/result.h"

namespace vestige::study {

/// One number of an experiment, and which part of the experiment it comes from.
struct StudyRow {
  std::string variant;            ///< the variant of the recipe: "random", "class"
  std::uint64_t split_seed = 0;   ///< which repeat of the variant: another split, other models
  std::string audit;              ///< which way of measuring: "main", "one shadow"
  std::uint64_t attack_seed = 1;  ///< of the audit
  metrics::Row row;
  /// Which originals on which split; variants with the same measure the same thing twice. Empty:
  /// the variant's own.
  std::string models{};
};

/// Under which name the numbers of a group stand in tables: the method of unlearned models, the
/// role of others, "partial/25" and "checkpoint/original.0.5" where a role has several groups.
std::string method_label(const metrics::Subject& subject);

/// Which original a model belongs to: "3" of unlearned/finetune/3.1; empty for pooled rows.
std::string original_of(const metrics::Subject& subject);

/// Which of several runs on one original it is: "1" of unlearned/finetune/3.1, "0" where there is
/// only one; empty for pooled rows.
std::string run_of(const metrics::Subject& subject);

}  // namespace vestige::study
