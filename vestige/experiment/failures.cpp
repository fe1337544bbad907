// Counting what is not there.
#include "vestige/experiment/failures.h"

#include <algorithm>
#include <map>

#include "vestige/pool/failures.h"

namespace vestige::experiment {
namespace {

struct Count {
  study::FailedRuns runs;
  std::map<std::string, std::size_t> reasons{};
};

/// One count for each arm and name, in the order in which they were asked for.
class Counts {
 public:
  void add(const std::string& arm, const std::string& name, const pool::Identity& identity,
           pool::Store& store) {
    const auto [place, fresh] = places_.try_emplace({arm, name}, counts_.size());
    if (fresh) counts_.push_back({{.arm = arm, .method = name}});
    Count& count = counts_[place->second];
    ++count.runs.runs;
    const std::string model = identity.name();
    if (store.has(model)) return;
    ++count.runs.failed;
    const auto failure = pool::find_failure(store.folder(), model);
    ++count.reasons[failure ? failure->why : "it was not made, and nothing says why"];
  }

  std::vector<study::FailedRuns> failed() const {
    std::vector<study::FailedRuns> list;
    for (const Count& count : counts_) {
      if (count.runs.failed == 0) continue;
      list.push_back(count.runs);
      list.back().why = std::max_element(count.reasons.begin(), count.reasons.end(),
                                         [](const auto& left, const auto& right) {
                                           return left.second < right.second;
                                         })
                            ->first;
    }
    return list;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
  std::vector<Count> counts_;
};

}  // namespace

std::vector<study::FailedRuns> failed_runs(const Experiment& experiment, pool::Store& store) {
  Counts counts;
  for (const Arm& arm : experiment.arms) {
    for (const train::ModelPlan& model : arm.models) {
      counts.add(arm.plan.name, model.role, model.identity, store);
    }
    for (const unlearn::UnlearnPlan& plan : arm.unlearned) {
      const std::string name =
          plan.purpose.empty() ? plan.method.label : plan.purpose + "/" + plan.method.label;
      counts.add(arm.plan.name, name, plan.identity, store);
    }
    for (const unlearn::ProbePlan& plan : arm.probed) {
      counts.add(arm.plan.name, "probed/" + plan.probe.label, plan.identity, store);
    }
  }
  return counts.failed();
}

}  // namespace vestige::experiment
