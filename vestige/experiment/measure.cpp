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
#include "vestige/report/json/read_results.h"

namespace vestige::experiment {
namespace {

namespace fs = std::filesystem;

std::string hash_of(const Json& json) {
  const std::string text = json.dump();
  return sha256(std::as_bytes(std::span(text)));
}

/// What a variant's evidence is made of: the models that are there, the rows, the settings.
std::string evidence_key(const Variant& variant, const pool::Store& store,
                         const std::string& program) {
  Json models = Json::array();
  const auto add = [&](const pool::Identity& identity) {
    if (store.find(identity.name())) models.push_back({identity.label, identity.name()});
  };
  for (const train::ModelPlan& model : variant.models) add(model.identity);
  for (const unlearn::UnlearnPlan& plan : variant.unlearned) add(plan.identity);
  for (const unlearn::ProbePlan& plan : variant.probed) add(plan.identity);
  return hash_of({{"models", models},
                  {"split", variant.lab->split.sha256},
                  {"collect", variant.plan.recipe.section("collect").all()},
                  {"program", program}});
}

/// The first original and the split: variants that share them measure the same models.
std::string models_of(const Variant& variant) {
  for (const train::ModelPlan& model : variant.models) {
    if (model.role == "original") return model.identity.name() + "/" + variant.lab->split.sha256;
  }
  return {};
}

/// Whether a file holds this key, so that what stands beside it need not be made again.
bool holds(const fs::path& file, const std::string& key) {
  return fs::exists(file) && read_file(file) == key;
}

/// Returns the models that were left out, because what they say is not finite.
std::vector<std::string> collect_variant(const Variant& variant, pool::Store& store,
                                         const fs::path& folder, const std::string& program) {
  collect::CollectSettings settings = variant.collect;
  settings.out = folder;
  settings.program = program;
  const auto summary = collect::collect(variant.lab, variant.models, variant.unlearned, store,
                                        settings, fs::exists(folder), variant.probed);
  if (summary.missing > 0) {
    fmt::print(stderr, "vestige: variant {}: {} models are missing and left out\n",
               variant.plan.folder(), summary.missing);
  }
  return summary.broken;
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

class VariantMeasurer {
 public:
  VariantMeasurer(const Variant& variant, const MeasureOptions& options, fs::path evidence,
                  std::string key, std::vector<std::string> not_finite)
      : variant_(variant),
        options_(options),
        evidence_(std::move(evidence)),
        key_(std::move(key)),
        not_finite_(std::move(not_finite)) {}

  void run(std::vector<VariantAudit>& results) {
    for (const AuditPlan& audit : variant_.plan.audits) {
      for (std::int64_t seed = 1; seed <= audit.attack_seeds; ++seed) {
        check_interrupt();
        results.push_back(measure(audit, static_cast<std::uint64_t>(seed)));
        if (options_.after_audit) options_.after_audit(results);
      }
    }
  }

 private:
  VariantAudit measure(const AuditPlan& audit, std::uint64_t seed) {
    VariantAudit result{variant_.plan.name,
                        variant_.plan.split_seed,
                        audit.name,
                        seed,
                        models_of(variant_),
                        {},
                        false,
                        not_finite_};
    const fs::path folder =
        options_.out / "audits" / variant_.plan.folder() / fmt::format("{}-{}", audit.name, seed);
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
    if (!reading_) reading_ = evidence::load(evidence_, true, variant_.lab->context);
    evidence::Evidence limited = reading_->evidence;
    limit_models(limited, audit.models);
    report::Audited audited = report::run_audit(
        std::move(limited), reading_->findings,
        {options_.command, {audit.metrics, seed, audit.options, variant_.lab->context}}, start);
    FileSet files(folder, true);
    report::add_numbers(audited, files);
    files.add("key", key);
    check_interrupt();
    files.commit();
    return std::move(audited.results);
  }

  const Variant& variant_;
  const MeasureOptions& options_;
  fs::path evidence_;
  std::string key_;
  std::vector<std::string> not_finite_;
  std::optional<evidence::Reading> reading_;
};

}  // namespace

std::vector<VariantAudit> measure(const Experiment& experiment, pool::Store& store,
                                  const MeasureOptions& options) {
  std::vector<VariantAudit> results;
  struct Made {
    fs::path folder;
    std::vector<std::string> not_finite{};
  };
  std::map<std::string, Made> made;
  Progress progress(experiment.context.progress(), "variants", experiment.variants.size());
  for (const Variant& variant : experiment.variants) {
    check_interrupt();
    const std::string key = evidence_key(variant, store, options.program);
    // Variants that differ only in how they are measured share their evidence.
    const auto [place, fresh] =
        made.try_emplace(key, Made{options.out / "evidence" / variant.plan.folder()});
    Made& evidence = place->second;
    if (fresh) {
      evidence.not_finite = collect_variant(variant, store, evidence.folder, options.program);
    }
    VariantMeasurer(variant, options, evidence.folder, key, evidence.not_finite).run(results);
    progress.add();
  }
  return results;
}

}  // namespace vestige::experiment
