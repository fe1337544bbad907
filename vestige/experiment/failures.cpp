// Counting what is not there.
#include "vestige/experiment/failures.h"

#include <algorithm>
#include <map>
#include <set>

#include "vestige/pool/failures.h"

namespace vestige::experiment {
namespace {

struct Count {
  result::FailedRuns runs;
  std::map<std::string, std::size_t> reasons{};  ///< by text; empty: not known
  std::size_t not_finite = 0;                    ///< models that say NaN or infinity
};

/// One count for each variant and name, in the order in which they were asked for.
class Counts {
 public:
  void add(const std::string& variant, const std::string& name, const pool::Identity& identity,
           pool::Store& store, bool unlearning = false) {
    const auto [place, fresh] = places_.try_emplace({variant, name}, counts_.size());
    if (fresh) counts_.push_back({{.variant = variant, .method = name, .unlearning = unlearning}});
    Count& count = counts_[place->second];
    ++count.runs.runs;
    const std::string model = identity.name();
    if (store.has(model)) return;
    ++count.runs.failed;
    const auto failure = pool::find_failure(store.folder(), model);
    ++count.reasons[failure ? failure->why : std::string()];
  }

  void add_not_finite(const std::string& variant, const std::string& name) {
    const auto place = places_.find({variant, name});
    if (place == places_.end()) return;
    Count& count = counts_[place->second];
    ++count.runs.failed;
    ++count.not_finite;
  }

  std::vector<result::FailedRuns> failed() const {
    std::vector<result::FailedRuns> list;
    for (const Count& count : counts_) {
      if (count.runs.failed == 0) continue;
      list.push_back(count.runs);
      if (2 * count.not_finite >= count.runs.failed) {
        list.back().why = result::Code::run_not_finite;
        continue;
      }
      const std::string& why = std::max_element(count.reasons.begin(), count.reasons.end(),
                                                [](const auto& left, const auto& right) {
                                                  return left.second < right.second;
                                                })
                                   ->first;
      list.back().why = why.empty() ? result::Reason(result::Code::not_made_unknown_why)
                                    : result::reason(result::Code::message, why);
    }
    return list;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
  std::vector<Count> counts_;
};

/// "unlearned/ssd/0" counts as ssd, "original/0" as original.
std::string counted_as(const std::string& place) {
  const std::size_t first = place.find('/');
  const std::size_t last = place.rfind('/');
  if (first == std::string::npos || !place.starts_with("unlearned/")) return place.substr(0, first);
  return place.substr(first + 1, last > first ? last - first - 1 : std::string::npos);
}

}  // namespace

std::vector<result::FailedRuns> failed_runs(const Experiment& experiment, pool::Store& store,
                                            const std::vector<VariantAudit>& audits) {
  Counts counts;
  for (const Variant& variant : experiment.variants) {
    for (const train::ModelPlan& model : variant.models) {
      counts.add(variant.plan.name, model.role, model.identity, store);
    }
    for (const unlearn::UnlearnPlan& plan : variant.unlearned) {
      const std::string name =
          plan.purpose.empty() ? plan.method.label : plan.purpose + "/" + plan.method.label;
      counts.add(variant.plan.name, name, plan.identity, store, plan.purpose.empty());
    }
    for (const unlearn::ProbePlan& plan : variant.probed) {
      counts.add(variant.plan.name, "probed/" + plan.probe.label, plan.identity, store);
    }
  }
  std::set<std::pair<std::string, std::uint64_t>> seen;
  for (const VariantAudit& audit : audits) {
    if (!seen.insert({audit.variant, audit.split_seed}).second) continue;
    for (const std::string& place : audit.not_finite) {
      counts.add_not_finite(audit.variant, counted_as(place));
    }
  }
  return counts.failed();
}

}  // namespace vestige::experiment
