// Putting the audits together.
#include "vestige/experiment/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "vestige/audit/pooled_verdicts.h"
#include "vestige/base/error.h"

namespace vestige::experiment {
namespace {

/// Sums over the runs of one method.
struct Cost {
  double seconds = 0, retraining = 0, steps = 0, samples = 0;
  std::size_t runs = 0, with_retraining = 0;
};

std::string arm_label(const ArmAudit& audit) {
  return fmt::format("{}-{}", audit.arm, audit.split_seed);
}

/// What audits remark, once each, with the audits that said it.
class Remarks {
 public:
  void add(const audit::Remark& remark, const std::string& audit) {
    const auto [place, is_new] = places_.try_emplace(remark.text, said_.size());
    if (is_new) said_.push_back({remark, {}});
    std::vector<std::string>& audits = said_[place->second].second;
    if (std::find(audits.begin(), audits.end(), audit) == audits.end()) audits.push_back(audit);
  }

  /// "random-1 (main), class-1 (main) and 3 more: text"
  std::vector<audit::Remark> sentences() const {
    constexpr std::size_t kNamed = 3;
    std::vector<audit::Remark> list;
    for (const auto& [remark, audits] : said_) {
      const std::size_t named = std::min(audits.size(), kNamed);
      const std::span shown(audits.data(), named);
      list.push_back(remark);
      list.back().text = fmt::format(
          "{}{}: {}", fmt::join(shown, ", "),
          audits.size() > named ? fmt::format(" and {} more", audits.size() - named) : "",
          remark.text);
    }
    return list;
  }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::pair<audit::Remark, std::vector<std::string>>> said_;
};

}  // namespace

std::vector<study::StudyRow> study_rows(const std::vector<ArmAudit>& audits) {
  std::vector<study::StudyRow> rows;
  for (const ArmAudit& audit : audits) {
    for (const study::StudyRow& row : audit.results.rows) {
      rows.push_back(
          {audit.arm, audit.split_seed, audit.audit, audit.attack_seed, row.row, audit.models});
    }
  }
  return rows;
}

Json costs(const Experiment& experiment, pool::Store& store) {
  std::map<std::string, Cost> found;
  std::set<std::string> counted;
  for (const Arm& arm : experiment.arms) {
    for (const unlearn::UnlearnPlan& plan : arm.unlearned) {
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
  Json list = Json::array();
  for (const auto& [method, cost] : found) {
    const auto runs = static_cast<double>(cost.runs);
    const double retraining = cost.with_retraining > 0
                                  ? cost.retraining / static_cast<double>(cost.with_retraining)
                                  : metrics::kUndefined;
    list.push_back({{"method", method},
                    {"seconds", cost.seconds / runs},
                    {"retraining_seconds", json_number(retraining)},
                    {"ratio", json_number(cost.seconds / runs / retraining)},
                    {"steps", cost.steps / runs},
                    {"samples", cost.samples / runs},
                    {"n", cost.runs}});
  }
  return list;
}

namespace {

/// Verdicts from every split of every arm: of each split its first audit (others have the same
/// models), pooled by arm. Sentences name the arm where there are several.
std::vector<audit::Verdict> verdicts_of(const std::vector<ArmAudit>& audits) {
  std::vector<std::string> arms;
  std::map<std::string, std::vector<std::vector<audit::Verdict>>> splits;
  std::set<std::pair<std::string, std::uint64_t>> seen;
  for (const ArmAudit& audit : audits) {
    if (!seen.insert({audit.arm, audit.split_seed}).second) continue;
    if (splits.count(audit.arm) == 0) arms.push_back(audit.arm);
    splits[audit.arm].push_back(audit.results.verdicts);
  }
  std::vector<audit::Verdict> all;
  for (const std::string& arm : arms) {
    auto& mine = splits[arm];
    if (arms.size() > 1) {
      for (auto& verdicts : mine) {
        for (audit::Verdict& verdict : verdicts) {
          verdict.arm = arm;
          // A pooled sentence is written anew; one of a single split gets its arm here.
          verdict.sentence = fmt::format("{} ({}){}", verdict.method, arm,
                                         verdict.sentence.substr(verdict.method.size()));
        }
      }
    }
    for (audit::Verdict& verdict : audit::pooled_verdicts(mine)) all.push_back(std::move(verdict));
  }
  return all;
}

}  // namespace

Outline outline_of(const Experiment& experiment) {
  const ExperimentPlan& plan = experiment.plan;
  return {.path = plan.path,
          .name = plan.name,
          .size = plan.size,
          .notes = plan.notes,
          .seed = experiment.arms.front().plan.split_seed,
          .arms = plan_json(experiment)};
}

report::Results document(const Experiment& experiment, const std::vector<ArmAudit>& audits,
                         const study::Study& study, const Json& costs, const RunFacts& facts) {
  return document(outline_of(experiment), audits, study, costs, facts);
}

report::Results document(const Outline& outline, const std::vector<ArmAudit>& audits,
                         const study::Study& study, const Json& costs, const RunFacts& facts) {
  require(!audits.empty(), "{}: no audit names any arm: there is nothing to report",
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
  results.inputs = Json::array();
  Remarks remarks;
  std::set<std::string> listed;
  for (const ArmAudit& audit : audits) {
    for (const audit::Remark& remark : audit.results.remarks) {
      remarks.add(remark, fmt::format("{} ({})", arm_label(audit), audit.audit));
    }
    if (!listed.insert(arm_label(audit)).second) continue;
    for (Json input : audit.results.inputs) {
      input["path"] = arm_label(audit) + "/" + input.at("path").get<std::string>();
      results.inputs.push_back(std::move(input));
    }
  }
  results.remarks = remarks.sentences();
  results.bench = {{"recipe", outline.name}, {"size", outline.size},
                   {"notes", outline.notes}, {"shown", arm_label(audits.front())},
                   {"arms", outline.arms},   {"costs", costs}};
  if (!outline.histories.empty()) results.bench["histories"] = outline.histories;
  const Json summary = study::summary_json(study);
  for (const auto& [key, value] : summary.items()) results.bench[key] = value;
  return results;
}

}  // namespace vestige::experiment
