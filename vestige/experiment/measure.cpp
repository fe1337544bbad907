// Collecting and auditing.
#include "vestige/experiment/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/progress.h"
#include "vestige/base/sha256.h"
#include "vestige/evidence/reader.h"
#include "vestige/report/audit_run.h"
#include "vestige/report/read_results.h"

namespace vestige::experiment {
namespace {

namespace fs = std::filesystem;

std::string hash_of(const Json& json) {
  const std::string text = json.dump();
  return sha256(std::as_bytes(std::span(text)));
}

/// What an arm's evidence is made of: the models that are there, the rows, the settings.
std::string evidence_key(const Arm& arm, const pool::Store& store, const std::string& program) {
  Json models = Json::array();
  const auto add = [&](const pool::Identity& identity) {
    if (store.find(identity.name())) models.push_back({identity.label, identity.name()});
  };
  for (const train::ModelPlan& model : arm.models) add(model.identity);
  for (const unlearn::UnlearnPlan& plan : arm.unlearned) add(plan.identity);
  for (const unlearn::ProbePlan& plan : arm.probed) add(plan.identity);
  return hash_of({{"models", models},
                  {"split", arm.lab->split.sha256},
                  {"collect", arm.plan.recipe.section("collect").all()},
                  {"program", program}});
}

/// The first original and the split: arms that share them measure the same models.
std::string models_of(const Arm& arm) {
  for (const train::ModelPlan& model : arm.models) {
    if (model.role == "original") return model.identity.name() + "/" + arm.lab->split.sha256;
  }
  return {};
}

/// Whether a file holds this key, so that what stands beside it need not be made again.
bool holds(const fs::path& file, const std::string& key) {
  return fs::exists(file) && read_file(file) == key;
}

void collect_arm(const Arm& arm, pool::Store& store, const fs::path& folder,
                 const std::string& program) {
  collect::CollectSettings settings = arm.collect;
  settings.out = folder;
  settings.program = program;
  const auto summary = collect::collect(arm.lab, arm.models, arm.unlearned, store, settings,
                                        fs::exists(folder), arm.probed);
  if (summary.missing > 0) {
    fmt::print(stderr, "vestige: arm {}: {} models are missing and left out\n", arm.plan.folder(),
               summary.missing);
  }
}

/// The evidence with at most so many models of each role.
void limit_models(evidence::Evidence& evidence, const std::map<std::string, std::int64_t>& limits) {
  for (evidence::Group& group : evidence.groups) {
    const auto limit = limits.find(group.role);
    if (limit == limits.end()) continue;
    const auto most = static_cast<std::size_t>(limit->second);
    // A shadow pair (0 and 0.original) is one shadow model.
    std::set<std::string> kept;
    std::erase_if(group.models, [&](const evidence::Model& model) {
      const std::string name =
          group.role == "shadow" ? model.name.substr(0, model.name.find('.')) : model.name;
      if (kept.size() < most) kept.insert(name);
      return kept.count(name) == 0;
    });
  }
}

class ArmMeasurer {
 public:
  ArmMeasurer(const Arm& arm, const MeasureOptions& options, fs::path evidence, std::string key)
      : arm_(arm), options_(options), evidence_(std::move(evidence)), key_(std::move(key)) {}

  void run(std::vector<ArmAudit>& results) {
    for (const AuditPlan& audit : arm_.plan.audits) {
      for (std::int64_t seed = 1; seed <= audit.attack_seeds; ++seed) {
        check_interrupt();
        results.push_back(measure(audit, static_cast<std::uint64_t>(seed)));
        if (options_.after_audit) options_.after_audit(results);
      }
    }
  }

 private:
  ArmAudit measure(const AuditPlan& audit, std::uint64_t seed) {
    ArmAudit result{arm_.plan.name, arm_.plan.split_seed, audit.name, seed, models_of(arm_), {},
                    false};
    const fs::path folder =
        options_.out / "audits" / arm_.plan.folder() / fmt::format("{}-{}", audit.name, seed);
    const std::string key = hash_of({{"evidence", key_},
                                     {"metrics", audit.metrics},
                                     {"options", audit.options},
                                     {"models", audit.models},
                                     {"seed", seed}});
    if (holds(folder / "key", key)) {
      result.results = report::read_results(folder / "results.json");
      result.reused = true;
      return result;
    }
    result.results = audit_now(audit, seed, folder, key);
    return result;
  }

  report::Results audit_now(const AuditPlan& audit, std::uint64_t seed, const fs::path& folder,
                            const std::string& key) {
    const auto start = std::chrono::steady_clock::now();
    if (!reading_) reading_ = evidence::load(evidence_, true);
    evidence::Evidence limited = reading_->evidence;
    limit_models(limited, audit.models);
    report::Audited audited =
        report::run_audit(std::move(limited), reading_->findings,
                          {options_.command, {audit.metrics, seed, audit.options}}, start);
    FileSet files(folder, true);
    report::add_numbers(audited, files);
    files.add("key", key);
    check_interrupt();
    files.commit();
    return std::move(audited.results);
  }

  const Arm& arm_;
  const MeasureOptions& options_;
  fs::path evidence_;
  std::string key_;
  std::optional<evidence::Reading> reading_;
};

}  // namespace

std::vector<ArmAudit> measure(const Experiment& experiment, pool::Store& store,
                              const MeasureOptions& options) {
  std::vector<ArmAudit> results;
  std::map<std::string, fs::path> made;
  Progress progress("arms", experiment.arms.size());
  for (const Arm& arm : experiment.arms) {
    check_interrupt();
    const std::string key = evidence_key(arm, store, options.program);
    // Arms that differ only in how they are measured share their evidence.
    const auto [place, fresh] = made.try_emplace(key, options.out / "evidence" / arm.plan.folder());
    if (fresh) collect_arm(arm, store, place->second, options.program);
    ArmMeasurer(arm, options, place->second, key).run(results);
    progress.add();
  }
  return results;
}

}  // namespace vestige::experiment
