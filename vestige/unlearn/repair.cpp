// The explicit lists of repairs and hosts.
#include "vestige/unlearn/repair.h"

namespace vestige::unlearn {

Repair plain_repair(Problem&) { return {train::cross_entropy(), 1}; }

const std::vector<NamedRepair>& repairs() {
  static const std::vector<NamedRepair> kRepairs = {
      {"finetune", plain_repair},
  };
  return kRepairs;
}

const std::vector<Host>& hosts() {
  static const std::vector<Host> kHosts = {};
  return kHosts;
}

}  // namespace vestige::unlearn
