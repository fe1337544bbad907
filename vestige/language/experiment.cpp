// The course of an experiment with language models.
#include "vestige/language/experiment.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <optional>
#include <set>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/parallel.h"
#include "vestige/experiment/estimates/duration.h"
#include "vestige/experiment/program.h"
#include "vestige/experiment/results.h"
#include "vestige/experiment/results_folder.h"
#include "vestige/language/models.h"
#include "vestige/language/probes.h"
#include "vestige/pool/failures.h"
#include "vestige/report/audit_run.h"
#include "vestige/report/terminal/brief.h"
#include "vestige/report/terminal/study_brief.h"
#include "vestige/report/terminal/study_text.h"

namespace vestige::language {
namespace {

namespace fs = std::filesystem;

using Variants = std::vector<std::shared_ptr<const Variant>>;

/// Runs, models and answers of a variant by their first word, and how many the pool has; looking
/// makes no folder.
std::string plan_text(const Plan& plan, const Variants& variants, const fs::path& pool) {
  const std::optional<pool::Store> store =
      fs::exists(pool) ? std::optional<pool::Store>(pool) : std::nullopt;
  std::string text = fmt::format("{} ({}): {} variants\n", plan.name, plan.size, variants.size());
  for (const auto& variant : variants) {
    std::map<std::string, std::pair<int, int>> counts;
    for (const Item& item : variant->items) {
      const std::string kind = item.identity.label.substr(0, item.identity.label.find('/'));
      ++counts[kind].first;
      if (store && store->find(item.identity.name())) ++counts[kind].second;
    }
    text += fmt::format("variant {}: {} forget, {} retain, {} test sequences;",
                        variant->recipe.name, variant->corpus.part("forget").size(),
                        variant->corpus.part("retain").size(), variant->corpus.part("test").size());
    for (const auto& [kind, count] : counts) {
      text += fmt::format(" {} {} ({} there)", count.first, kind, count.second);
    }
    text += "\n";
  }
  return text;
}

/// Jobs of all variants; what several variants share is made once.
std::vector<pool::Job> all_jobs(const Variants& variants,
                                const std::shared_ptr<pool::Store>& store) {
  std::vector<pool::Job> jobs;
  std::set<std::string> seen;
  for (const auto& variant : variants) {
    for (pool::Job& job : jobs_of(variant, store)) {
      if (seen.insert(job.models.front().name()).second) jobs.push_back(std::move(job));
    }
  }
  return jobs;
}

experiment::VariantAudit audit_variant(const Variant& variant, const pool::Store& store,
                                       const fs::path& out, const ExperimentSettings& settings,
                                       const Context& context) {
  const std::string name = fmt::format("{}-{}", variant.recipe.name, variant.recipe.seed);
  const Collected collected =
      collect(variant, store, out / "evidence" / name, experiment::program_hash());
  if (collected.missing > 0) {
    fmt::print(stderr, "vestige: variant {}: {} models are missing and left out\n", name,
               collected.missing);
  }
  report::AuditRun run{settings.command,
                       {variant.recipe.metrics, 1, variant.recipe.metric_options, context}};
  report::Audited audited = report::run_audit(out / "evidence" / name, run);
  FileSet files(out / "audits" / name / "main-1", true);
  report::add_files(audited, files, context);
  check_interrupt();
  files.commit();
  return {variant.recipe.name,   variant.recipe.seed,        "main", 1,
          variant.corpus.sha256, std::move(audited.results), false};
}

/// What methods cost, from the pool.
std::vector<result::MethodCost> costs_of(const Variants& variants, const pool::Store& store) {
  std::vector<result::MethodCost> list;
  for (const auto& variant : variants) {
    for (const Item& item : variant->items) {
      if (item.stage != Stage::unlearned) continue;
      const auto entry = store.find(item.identity.name());
      if (!entry) continue;
      list.push_back({.method = item.method.label,
                      .seconds = entry->facts.value("seconds", 0.0),
                      .steps = entry->facts.value("steps", 0.0),
                      .samples = entry->facts.value("samples", 0.0),
                      .n = 1});
    }
  }
  return list;
}

std::vector<result::ExperimentVariant> variants_of(const Variants& variants) {
  std::vector<result::ExperimentVariant> list;
  for (const auto& variant : variants) {
    list.push_back({.name = variant->recipe.name,
                    .split_seed = variant->recipe.seed,
                    .recipe = variant->recipe.table,
                    .split = variant->corpus.sha256,
                    .models = variant->items.size()});
  }
  return list;
}

/// Models of which nothing was learnt, and why: their own failure, or that of what they begin with.
std::vector<result::FailedRuns> failures(const Variants& variants, const pool::Store& store) {
  std::vector<result::FailedRuns> failed;
  for (const auto& variant : variants) {
    for (const Item& item : variant->items) {
      if (item.stage != Stage::answers || store.find(item.identity.name())) continue;
      auto failure = pool::find_failure(store.folder(), item.identity.name());
      if (!failure) failure = pool::find_failure(store.folder(), item.start);
      const std::string role = item.place.substr(0, item.place.find('/'));
      failed.push_back({.variant = variant->recipe.name,
                        .method = role == "unlearned" ? item.method.label : role,
                        .runs = 1,
                        .failed = 1,
                        .why = failure ? result::reason(result::Code::message, failure->why)
                                       : result::Reason(result::Code::not_made_unknown_why),
                        .unlearning = role == "unlearned"});
    }
  }
  return failed;
}

/// Keeps the methods with these labels in every variant; one that no variant has is an InputError.
void choose_methods(Plan& plan, const std::vector<std::string>& labels) {
  if (labels.empty()) return;
  std::set<std::string> found;
  for (Recipe& recipe : plan.variants) {
    std::erase_if(recipe.methods, [&](const MethodSettings& method) {
      const bool wanted = std::find(labels.begin(), labels.end(), method.label) != labels.end();
      if (wanted) found.insert(method.label);
      return !wanted;
    });
  }
  for (const std::string& label : labels) {
    require(found.contains(label), "{}: no variant has a method '{}'", plan.path.string(), label);
  }
}

/// Probes of the recipe by their labels, others by their names with their defaults.
void choose_probes(Recipe& recipe, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::vector<ProbeSettings> chosen;
  for (const std::string& name : names) {
    const auto found = std::find_if(recipe.probes.begin(), recipe.probes.end(),
                                    [&](const auto& probe) { return probe.label == name; });
    chosen.push_back(found != recipe.probes.end()
                         ? *found
                         : read_probes(Json::array({name}), "--recovery-tests").front());
  }
  recipe.probes = chosen;
}

/// Everything that makes two runs the same experiment.
Json identity_of(const Plan& plan, const std::string& device) {
  Json identity = {{"recipe", plan.name}, {"size", plan.size}, {"device", device}};
  for (const Recipe& variant : plan.variants) {
    Json own = variant.table;
    if (own.contains("pool")) own["pool"].erase("folder");
    identity["variants"][variant.name] = own;
  }
  identity["checks"] = plan.checks;
  return identity;
}

}  // namespace

int probe_models(const ExperimentSettings& settings, const std::vector<std::string>& methods,
                 const std::vector<std::string>& probes, const experiment::Crew& crew) {
  Plan plan = make_plan(settings.recipe, settings.path, settings.request);
  const std::string where = settings.path.string();
  choose_methods(plan, methods);
  Variants variants;
  for (Recipe& recipe : plan.variants) {
    choose_probes(recipe, probes);
    if (!recipe.probes.empty()) variants.push_back(open_variant(recipe, settings.device, where));
  }
  require(
      !variants.empty(),
      "{} names no recovery tests: add probes = [\"relearn\", \"int4\"] or give --recovery-tests",
      where);
  const fs::path pool = plan.variants.front().pool.folder;
  if (crew.leads() && !settings.quiet) {
    fmt::print("{}\n", plan_text(plan, variants, pool));
    std::fflush(stdout);
  }
  auto store = std::make_shared<pool::Store>(pool);
  const int code = crew.work_off(*store, all_jobs(variants, store), plan.variants.front().threads);
  if (crew.leads()) {
    fmt::print("{}next: vestige bench {} audits them{}\n", plan_text(plan, variants, pool), where,
               probes.empty()
                   ? ""
                   : "; it applies the recovery tests of the recipe (probes), so write them there");
  }
  return code;
}

int conduct(const ExperimentSettings& settings, const experiment::Crew& crew) {
  const auto start = std::chrono::steady_clock::now();
  const std::string started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  const Plan plan = make_plan(settings.recipe, settings.path, settings.request);
  const std::vector<study::Check> checks = study::read_checks(plan.checks, settings.path.string());
  Variants variants;
  for (const Recipe& recipe : plan.variants) {
    variants.push_back(open_variant(recipe, settings.device, settings.path.string()));
  }
  const Recipe& first = plan.variants.front();
  const fs::path folder = settings.out.empty()
                              ? fs::path("out") / fmt::format("{}-{}", plan.name, plan.size)
                              : fs::path(settings.out);
  const bool talks = crew.leads() && !settings.quiet && !settings.print_json;
  if (talks || settings.dry_run) {
    fmt::print("{}\n", plan_text(plan, variants, first.pool.folder));
    std::fflush(stdout);
  }
  if (settings.dry_run) return 0;
  auto store = std::make_shared<pool::Store>(first.pool.folder);
  const experiment::ResultsFolder own(folder, identity_of(plan, settings.device));
  if (crew.leads()) own.claim(settings.force);
  const int code = crew.work_off(*store, all_jobs(variants, store), first.threads);
  if (!crew.leads()) return code;
  std::vector<experiment::VariantAudit> audits;
  for (const auto& variant : variants)
    audits.push_back(audit_variant(*variant, *store, folder, settings, crew.context));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const experiment::Outline outline{.path = settings.path,
                                    .name = plan.name,
                                    .size = plan.size,
                                    .notes = plan.notes,
                                    .seed = first.seed,
                                    .variants = variants_of(variants),
                                    .histories = {}};
  const experiment::WrittenResults written = crew.context.run([&] {
    return experiment::write_results(outline, checks, failures(variants, *store),
                                     costs_of(variants, *store), audits, folder,
                                     {settings.command, started, seconds, crew.context.threads()});
  });
  if (settings.print_json) {
    fmt::print("{}", written.json);
  } else {
    const std::size_t width = report::terminal_style().width;
    fmt::print("{}\n", settings.full ? report::study_text(written.study, true, width)
                                     : report::study_brief(written.study, width));
    fmt::print("\n{}", written.brief);
    fmt::print("took {}; open {}\n", experiment::duration_text(seconds),
               (folder / "report.html").string());
  }
  return code;
}

}  // namespace vestige::language
