// The explicit lists of repairs and hosts.
#include "vestige/unlearn/repair.h"

#include "vestige/unlearn/methods/fanchuan.h"
#include "vestige/unlearn/methods/kookmin.h"
#include "vestige/unlearn/methods/sebastian.h"
#include "vestige/unlearn/methods/seif.h"

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
