// The first line of a page and of the terminal: what all verdicts together say.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/result/verdict.h"

namespace vestige::words {

/// What a headline counts: methods that are no controls, in all variants of an experiment.
struct Judged {
  std::size_t methods = 0;
  bool variants = false;  ///< methods are counted in several variants of an experiment
  bool controls = false;  ///< controls were judged as well
  bool alone = false;     ///< every verdict was given without a retrained model
  std::string only{};     ///< the method's name, if there is one method alone
  std::map<result::Word, std::size_t> words{};
  std::size_t marked = 0;                ///< FORGOTTEN, and yet with an addition
  std::vector<std::string> additions{};  ///< of those: "RETURNS"
};

/// "None of 6 methods is shown to forget like retraining"
std::string headline(const Judged& judged);
/// "4 methods: traces remain. 1 method: not decided."
std::string counts(const Judged& judged);
/// "Evidence quality B (of A to D): one retrained model. Variation ..."
std::string evidence_quality(std::string_view grade, std::string_view reason);

}  // namespace vestige::words
