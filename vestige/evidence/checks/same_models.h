// Models with the same values: a file that was exported twice, or under a wrong name.
#pragma once

#include <string>
#include <vector>

#include "vestige/evidence/evidence.h"
#include "vestige/evidence/reader.h"

namespace vestige::evidence {

/// Two models with the same values. `first` stands before `second` in the evidence.
struct SameModels {
  const Model* first = nullptr;
  const Model* second = nullptr;
  std::vector<std::string> splits;  ///< whose values are the same: "forget", "tokens/forget"
  bool whole = false;               ///< on every split that both have; otherwise on some of them

  /// Both are models of one group: `second` is `first` a second time.
  bool twins() const;
};

/// Outputs, tokens and losses, value for value; where one of two files has the narrower type, up to
/// its rounding. Pairs that may be the same for a good reason are passed over (a partial retrain
/// and the original, a checkpoint and what became of it, probed models, a method that leaves
/// retain rows as the original has them), and so are files that are the same by chance: all rows
/// alike, or next to nothing but zeros and ones. A few values of each file are compared first, so
/// that only copies are read whole, block by block.
std::vector<SameModels> same_models(const Evidence& evidence);

/// Enough different values that two files would not be the same by chance.
bool says_something(const Array& array);

/// A warning (W-SAME) with what it means and the remedy. `likewise`: ids of other models of the
/// group in the same case.
Finding finding_of(const Evidence& evidence, const SameModels& same,
                   std::vector<std::string> likewise = {});

/// One warning for all models of a group that are in the same case.
Findings check_same(const Evidence& evidence, const std::vector<SameModels>& same);

/// Takes every whole twin out of the evidence, so that a model counts once however often it was
/// exported: what was paired with it is paired with the one that stays.
void leave_out_twins(Evidence& evidence, const std::vector<SameModels>& same);

}  // namespace vestige::evidence
