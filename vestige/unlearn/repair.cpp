// The explicit lists of repairs and hosts.
#include "vestige/unlearn/repair.h"

#include "vestige/unlearn/methods/competition/fanchuan.h"
#include "vestige/unlearn/methods/competition/kookmin.h"
#include "vestige/unlearn/methods/competition/sebastian.h"
#include "vestige/unlearn/methods/competition/seif.h"

namespace vestige::unlearn {

Repair plain_repair(Problem&) { return {train::cross_entropy(), 1}; }

const std::vector<NamedRepair>& repairs() {
  static const std::vector<NamedRepair> kRepairs = {
      {"finetune", plain_repair},
      {"seif", seif_repair},
      {"sebastian", sebastian_repair},
  };
  return kRepairs;
}

const std::vector<Host>& hosts() {
  static const std::vector<Host> kHosts = {
      {"fanchuan", prepare_fanchuan},
      {"kookmin", prepare_kookmin},
      {"seif", prepare_seif},
  };
  return kHosts;
}

}  // namespace vestige::unlearn
