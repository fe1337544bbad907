// Which rows a model should have forgotten, and which rows are the gap to unseen examples: rows
// that no model saw and none should forget.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "vestige/evidence/evidence.h"
#include "vestige/metrics/stats/contrast.h"

namespace vestige::metrics {

/// What a request is about: rows, whole classes, whole subclasses of classes that live on, or all
/// that belongs to some subjects.
enum class Forgotten { rows, classes, subclasses, subjects };
std::string_view name(Forgotten forgotten);

/// What was forgotten as a whole: what forget has and retain has nothing of. One class in forget is
/// not enough, and without labels of retain it is rows.
Forgotten forgotten_as_a_whole(const evidence::Evidence& evidence);

/// For each labelled row of a split whether it is of the classes, subclasses or subjects that were
/// forgotten as a whole; all false where rows were.
std::vector<bool> of_the_forgotten(const evidence::Evidence& evidence, std::string_view split);

/// Target: the forget rows and, where classes, subclasses or subjects were forgotten, their test
/// rows too, for what should vanish is the class and not the rows alone. Unseen: all other test
/// rows.
struct RowSets {
  Forgotten forgotten = Forgotten::rows;
  std::size_t forget = 0;
  std::vector<std::size_t> target_test;  ///< rows of test
  std::vector<std::size_t> unseen;       ///< rows of test
  std::shared_ptr<const Strata> strata;

  bool empty() const { return forget < 2 || unseen.size() < 2; }
};

/// Of classifiers, by labels, subclasses and subjects; classes were forgotten if retain has labels
/// and holds no row of any class of forget, subclasses and subjects likewise. Empty without forget
/// or test labels.
RowSets row_sets(const evidence::Evidence& evidence);
/// Of language models and losses, by the number of sequences and by subjects; all of one stratum.
RowSets sequence_sets(const evidence::Evidence& evidence, std::size_t forget, std::size_t test);

}  // namespace vestige::metrics
