// Rows that may stand in one table column: one metric in one setting.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vestige/study/rows.h"

namespace vestige::report {

struct Block {
  std::string metric;
  std::string setting;  ///< for people: "N=20", "alpha 0.05, scp"; may be empty
  std::string audit;    ///< of an experiment; empty in an audit
  std::vector<const study::StudyRow*> rows;  ///< in the order in which they were measured

  std::string label() const;                 ///< metric and setting: "f_score [N=20]"
  bool has(metrics::Control control) const;  ///< whether it has a value of such a control
};

/// The settings of a row that a reader must know, in a few words.
std::string setting_text(const metrics::Row& row);

/// What a row's model is: "method", "retrained", "checkpoint", ...
std::string role_of(metrics::Control control);

/// The method's name, or the role of a model that no method made: "finetune", "original".
std::string method_of(const metrics::Row& row);

/// Every metric in every setting, in the order of the rows, which must outlive the blocks.
std::vector<Block> blocks_of(const std::vector<study::StudyRow>& rows);

/// One block per metric (of an experiment: of its first audit that has it): the first setting with
/// a retrained control beside it, else the first.
std::vector<Block> main_blocks(const std::vector<Block>& all);

/// Whether the metric's family measures what is kept rather than what is forgotten.
bool in_utility_family(std::string_view metric);

/// Whether a metric is an accuracy that a reader wants beside forgetting: what is kept on a split,
/// or what verdicts read of the family that has those.
bool is_utility(std::string_view metric);

/// Of each family, the first metric that shows forgetting; and the accuracies: what a reader looks
/// at first.
std::vector<Block> headline_blocks(const std::vector<Block>& all);

/// The family that a metric belongs to; the first part of its id where it is unknown.
std::string family_of(std::string_view metric);

/// Methods in the order of their first row; retrained before them, original and constant after
/// them, checkpoints last.
std::vector<std::string> method_order(const std::vector<Block>& blocks);

/// At most four significant digits; "undefined" for NaN.
std::string short_number(double value);

}  // namespace vestige::report
