// Putting the audits together.
#include "vestige/experiment/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "vestige/audit/verdicts/pooled_verdicts.h"
#include "vestige/base/error.h"
#include "vestige/result/codec.h"

namespace vestige::experiment {
namespace {

/// Sums over the runs of one method.
struct Cost {
  double seconds = 0, retraining = 0, steps = 0, samples = 0;
  std::size_t runs = 0, with_retraining = 0;
};

std::string variant_label(const VariantAudit& audit) {
  return fmt::format("{}-{}", audit.variant, audit.split_seed);
}

/// What audits remark, once each, with the audits that said it.
class Remarks {
 public:
  void add(const result::Remark& remark, const std::string& audit) {
    auto place = std::find_if(said_.begin(), said_.end(), [&remark](const auto& known) {
      return known.first.reason == remark.reason;
    });
    if (place == said_.end()) place = said_.insert(place, {remark, {}});
    std::vector<std::string>& audits = place->second;
    if (std::find(audits.begin(), audits.end(), audit) == audits.end()) audits.push_back(audit);
  }

  std::vector<result::Remark> sentences() const {
    constexpr std::size_t kNamed = 3;
    std::vector<result::Remark> list;
    for (const auto& [remark, audits] : said_) {
      const std::size_t named = std::min(audits.size(), kNamed);
      const std::span shown(audits.data(), named);
      list.push_back(remark);
      list.back().reason = result::reason(result::Code::remark_of_audits,
                                          std::vector<std::string>(shown.begin(), shown.end()),
                                          audits.size() - named, remark.reason);
    }
    return list;
  }

 private:
  std::vector<std::pair<result::Remark, std::vector<std::string>>> said_;
};

}  // namespace

std::vector<study::StudyRow> study_rows(const std::vector<VariantAudit>& audits) {
  std::vector<study::StudyRow> rows;
  for (const VariantAudit& audit : audits) {
    for (const study::StudyRow& row : audit.results.rows) {
      rows.push_back(
          {audit.variant, audit.split_seed, audit.audit, audit.attack_seed, row.row, audit.models});
    }
  }
  return rows;
}

std::vector<result::MethodCost> costs(const Experiment& experiment, pool::Store& store) {
  std::map<std::string, Cost> found;
  std::set<std::string> counted;
  for (const Variant& variant : experiment.variants) {
    for (const unlearn::UnlearnPlan& plan : variant.unlearned) {
      // Runs that only calibrate (conformal paper, D.5) are not the method's own.
      if (!plan.purpose.empty()) continue;
      const std::string name = plan.identity.name();
      const auto entry = store.find(name);
      if (!entry || !counted.insert(name).second) continue;
      const Json& facts = entry->facts;
      Cost& cost = found[plan.method.label];
      ++cost.runs;
      cost.seconds += facts.value("seconds", 0.0);
      cost.steps += facts.value("steps", 0.0);
      cost.samples += facts.value("samples", 0.0);
      if (facts.contains("retraining_seconds") && facts["retraining_seconds"].is_number()) {
        ++cost.with_retraining;
        cost.retraining += facts["retraining_seconds"].get<double>();
      }
    }
  }
  std::vector<result::MethodCost> list;
  for (const auto& [method, cost] : found) {
    const auto runs = static_cast<double>(cost.runs);
    const double retraining = cost.with_retraining > 0
                                  ? cost.retraining / static_cast<double>(cost.with_retraining)
                                  : metrics::kUndefined;
    list.push_back({.method = method,
                    .seconds = cost.seconds / runs,
                    .retraining_seconds = retraining,
                    .ratio = cost.seconds / runs / retraining,
                    .steps = cost.steps / runs,
                    .samples = cost.samples / runs,
                    .n = cost.runs});
  }
  return list;
}

std::map<std::string, double> moves(const Experiment& experiment, pool::Store& store) {
  std::map<std::string, std::pair<double, std::size_t>> sums;
  for (const Variant& variant : experiment.variants) {
    for (const unlearn::UnlearnPlan& plan : variant.unlearned) {
      if (!plan.purpose.empty() || plan.method.name == "identity") continue;
      const auto entry = store.find(plan.identity.name());
      if (!entry || !entry->facts.contains("moved") || !entry->facts["moved"].is_number()) continue;
      auto& [sum, count] = sums[plan.method.label];
      sum += entry->facts["moved"].get<double>();
      ++count;
    }
  }
  std::map<std::string, double> means;
  for (const auto& [label, sum] : sums) {
    means[label] = sum.first / static_cast<double>(sum.second);
  }
  return means;
}

namespace {

/// Verdicts from every split of every variant: of each split its first audit (others have the same
/// models), pooled by variant. Sentences name the variant where there are several.
std::vector<audit::Verdict> verdicts_of(const std::vector<VariantAudit>& audits) {
  std::vector<std::string> variants;
  std::map<std::string, std::vector<std::vector<audit::Verdict>>> splits;
  std::set<std::pair<std::string, std::uint64_t>> seen;
  for (const VariantAudit& audit : audits) {
    if (!seen.insert({audit.variant, audit.split_seed}).second) continue;
    if (splits.count(audit.variant) == 0) variants.push_back(audit.variant);
    splits[audit.variant].push_back(audit.results.verdicts);
  }
  std::vector<audit::Verdict> all;
  for (const std::string& variant : variants) {
    auto& mine = splits[variant];
    if (variants.size() > 1) {
      for (auto& verdicts : mine) {
        for (audit::Verdict& verdict : verdicts) {
          verdict.variant = variant;
        }
      }
    }
    for (audit::Verdict& verdict : audit::pooled_verdicts(mine)) all.push_back(std::move(verdict));
  }
  return all;
}

/// A method without any model that could be audited is not tested, rather than absent.
void add_failed_methods(const std::vector<result::FailedRuns>& failed, bool several,
                        std::vector<audit::Verdict>& verdicts) {
  for (const result::FailedRuns& runs : failed) {
    // Roles of trained models and models of recovery tests have no verdict.
    if (runs.failed < runs.runs || !runs.unlearning) continue;
    audit::Verdict verdict;
    verdict.variant = several ? runs.variant : "";
    verdict.method = runs.method;
    const bool judged = std::any_of(verdicts.begin(), verdicts.end(), [&](const auto& other) {
      return other.variant == verdict.variant && other.method == verdict.method;
    });
    if (judged) continue;
    verdict.subject = {.role = "unlearned", .method = runs.method};
    verdict.obstacle = result::reason(result::Code::every_run_failed, runs.runs, runs.why);
    verdicts.push_back(std::move(verdict));
  }
}

}  // namespace

Outline outline_of(const Experiment& experiment) {
  const ExperimentPlan& plan = experiment.plan;
  return {
      .path = plan.path,
      .name = plan.name,
      .size = plan.size,
      .notes = plan.notes,
      .seed = experiment.variants.front().plan.split_seed,
      .variants = result::from_json<std::vector<result::ExperimentVariant>>(plan_json(experiment)),
      .histories = {}};
}

report::Results document(const Experiment& experiment, const std::vector<VariantAudit>& audits,
                         const study::Study& study, const std::vector<result::MethodCost>& costs,
                         const RunFacts& facts) {
  return document(outline_of(experiment), audits, study, costs, facts);
}

report::Results document(const Outline& outline, const std::vector<VariantAudit>& audits,
                         const study::Study& study, const std::vector<result::MethodCost>& costs,
                         const RunFacts& facts) {
  require(!audits.empty(), "{}: no audit names any variant: there is nothing to report",
          outline.path.string());
  report::Results results = audits.front().results;
  results.run = {.command = facts.command,
                 .seed = outline.seed,
                 .threads = facts.threads,
                 .started = facts.started,
                 .seconds = facts.seconds,
                 .options = audits.front().results.run.options};
  results.rows = study_rows(audits);
  results.verdicts = verdicts_of(audits);
  add_failed_methods(study.failed_runs, outline.variants.size() > 1, results.verdicts);
  results.inputs = Json::array();
  Remarks remarks;
  std::set<std::string> listed;
  for (const VariantAudit& audit : audits) {
    for (const result::Remark& remark : audit.results.remarks) {
      remarks.add(remark, fmt::format("{} ({})", variant_label(audit), audit.audit));
    }
    if (!listed.insert(variant_label(audit)).second) continue;
    for (Json input : audit.results.inputs) {
      input["path"] = variant_label(audit) + "/" + input.at("path").get<std::string>();
      results.inputs.push_back(std::move(input));
    }
  }
  results.remarks = remarks.sentences();
  results.bench = {.recipe = outline.name,
                   .size = outline.size,
                   .notes = outline.notes,
                   .shown = variant_label(audits.front()),
                   .variants = outline.variants,
                   .costs = costs,
                   .histories = outline.histories,
                   .study = study};
  return results;
}

}  // namespace vestige::experiment
