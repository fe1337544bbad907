// Stitching (competition paper, A.10): a repair is an objective on retained rows with the factor
// by which it scales the learning rate on average. A host keeps its schedule and swaps only the
// objective, with its rate divided by that factor, so that the mean effective rate stays the same.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

struct Repair {
  train::Objective objective;
  double mean_rate_factor = 1;
};

/// Makes a repair for a problem; called before the host changes the network, which may then still
/// serve as the original.
using MakeRepair = std::function<Repair(Problem&)>;

/// The repairs by method name: plain cross-entropy ("finetune"), "seif", ...
struct NamedRepair {
  std::string name;
  MakeRepair make;
};
const std::vector<NamedRepair>& repairs();

/// Methods whose repair can be swapped; `prepare` of such a method reads its host options, and
/// takes the repair to use (empty: its own).
struct Host {
  std::string name;
  std::function<Run(Options&, const MakeRepair& repair)> prepare;
};
const std::vector<Host>& hosts();

/// Cross-entropy, factor 1.
Repair plain_repair(Problem& problem);

}  // namespace vestige::unlearn
