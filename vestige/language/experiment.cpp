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
#include "vestige/experiment/duration.h"
#include "vestige/experiment/program.h"
#include "vestige/experiment/results.h"
#include "vestige/experiment/results_folder.h"
#include "vestige/language/models.h"
#include "vestige/language/probes.h"
#include "vestige/pool/failures.h"
#include "vestige/report/audit_run.h"
#include "vestige/report/study_brief.h"
#include "vestige/report/study_text.h"

namespace vestige::language {
namespace {

namespace fs = std::filesystem;

using Arms = std::vector<std::shared_ptr<const Arm>>;

/// Runs, models and answers of an arm by their first word, and how many the pool has; looking makes
/// no folder.
std::string plan_text(const Plan& plan, const Arms& arms, const fs::path& pool) {
  const std::optional<pool::Store> store =
      fs::exists(pool) ? std::optional<pool::Store>(pool) : std::nullopt;
  std::string text = fmt::format("{} ({}): {} arms\n", plan.name, plan.size, arms.size());
  for (const auto& arm : arms) {
    std::map<std::string, std::pair<int, int>> counts;
    for (const Item& item : arm->items) {
      const std::string kind = item.identity.label.substr(0, item.identity.label.find('/'));
      ++counts[kind].first;
      if (store && store->find(item.identity.name())) ++counts[kind].second;
    }
    text += fmt::format("arm {}: {} forget, {} retain, {} test sequences;", arm->recipe.name,
                        arm->corpus.part("forget").size(), arm->corpus.part("retain").size(),
                        arm->corpus.part("test").size());
    for (const auto& [kind, count] : counts) {
      text += fmt::format(" {} {} ({} there)", count.first, kind, count.second);
    }
    text += "\n";
  }
  return text;
}

/// Jobs of all arms; what several arms share is made once.
std::vector<pool::Job> all_jobs(const Arms& arms, const std::shared_ptr<pool::Store>& store) {
  std::vector<pool::Job> jobs;
  std::set<std::string> seen;
  for (const auto& arm : arms) {
    for (pool::Job& job : jobs_of(arm, store)) {
      if (seen.insert(job.models.front().name()).second) jobs.push_back(std::move(job));
    }
  }
  return jobs;
}

experiment::ArmAudit audit_arm(const Arm& arm, const pool::Store& store, const fs::path& out,
                               const ExperimentSettings& settings) {
  const std::string name = fmt::format("{}-{}", arm.recipe.name, arm.recipe.seed);
  const Collected collected =
      collect(arm, store, out / "evidence" / name, experiment::program_hash());
  if (collected.missing > 0) {
    fmt::print(stderr, "vestige: arm {}: {} models are missing and left out\n", name,
               collected.missing);
  }
  report::AuditRun run{settings.command, {arm.recipe.metrics, 1, arm.recipe.metric_options}};
  report::Audited audited = report::run_audit(out / "evidence" / name, run);
  FileSet files(out / "audits" / name / "main-1", true);
  report::add_files(audited, files);
  check_interrupt();
  files.commit();
  return {arm.recipe.name,
          arm.recipe.seed,
          "main",
          1,
          arm.corpus.sha256,
          std::move(audited.results),
          false};
}

/// What methods cost, from the pool.
Json costs_of(const Arms& arms, const pool::Store& store) {
  Json list = Json::array();
  for (const auto& arm : arms) {
    for (const Item& item : arm->items) {
      if (item.stage != Stage::unlearned) continue;
      const auto entry = store.find(item.identity.name());
      if (!entry) continue;
      list.push_back({{"method", item.method.label},
                      {"seconds", entry->facts.value("seconds", 0.0)},
                      {"retraining_seconds", nullptr},
                      {"ratio", nullptr},
                      {"steps", entry->facts.value("steps", 0.0)},
                      {"samples", entry->facts.value("samples", 0.0)},
                      {"n", 1}});
    }
  }
  return list;
}

Json arms_json(const Arms& arms) {
  Json list = Json::array();
  for (const auto& arm : arms) {
    list.push_back({{"name", arm->recipe.name},
                    {"split_seed", arm->recipe.seed},
                    {"recipe", arm->recipe.table},
                    {"split", arm->corpus.sha256},
                    {"models", arm->items.size()}});
  }
  return list;
}

/// Models of which nothing was learnt, and why: their own failure, or that of what they begin with.
std::vector<study::FailedRuns> failures(const Arms& arms, const pool::Store& store) {
  std::vector<study::FailedRuns> failed;
  for (const auto& arm : arms) {
    for (const Item& item : arm->items) {
      if (item.stage != Stage::answers || store.find(item.identity.name())) continue;
      auto failure = pool::find_failure(store.folder(), item.identity.name());
      if (!failure) failure = pool::find_failure(store.folder(), item.start);
      const std::string role = item.place.substr(0, item.place.find('/'));
      failed.push_back({.arm = arm->recipe.name,
                        .method = role == "unlearned" ? item.method.label : role,
                        .runs = 1,
                        .failed = 1,
                        .why = failure ? failure->why : "it was not made, and nothing says why"});
    }
  }
  return failed;
}

/// Keeps the methods with these labels in every arm; one that no arm has is an InputError.
void choose_methods(Plan& plan, const std::vector<std::string>& labels) {
  if (labels.empty()) return;
  std::set<std::string> found;
  for (Recipe& recipe : plan.arms) {
    std::erase_if(recipe.methods, [&](const MethodSettings& method) {
      const bool wanted = std::find(labels.begin(), labels.end(), method.label) != labels.end();
      if (wanted) found.insert(method.label);
      return !wanted;
    });
  }
  for (const std::string& label : labels) {
    require(found.contains(label), "{}: no arm has a method '{}'", plan.path.string(), label);
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
                         : read_probes(Json::array({name}), "--probes").front());
  }
  recipe.probes = chosen;
}

/// Everything that makes two runs the same experiment.
Json identity_of(const Plan& plan, const std::string& device) {
  Json identity = {{"recipe", plan.name}, {"size", plan.size}, {"device", device}};
  for (const Recipe& arm : plan.arms) {
    Json own = arm.table;
    if (own.contains("pool")) own["pool"].erase("folder");
    identity["arms"][arm.name] = own;
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
  Arms arms;
  for (Recipe& recipe : plan.arms) {
    choose_probes(recipe, probes);
    if (!recipe.probes.empty()) arms.push_back(open_arm(recipe, settings.device, where));
  }
  require(!arms.empty(),
          "{} names no probes: add probes = [\"relearn\", \"int4\"] or give --probes", where);
  const fs::path pool = plan.arms.front().pool.folder;
  if (crew.leads() && !settings.quiet) {
    fmt::print("{}\n", plan_text(plan, arms, pool));
    std::fflush(stdout);
  }
  auto store = std::make_shared<pool::Store>(pool);
  const int code = crew.work_off(*store, all_jobs(arms, store), plan.arms.front().threads);
  if (crew.leads()) {
    fmt::print(
        "{}next: vestige bench {} audits them{}\n", plan_text(plan, arms, pool), where,
        probes.empty() ? "" : "; it probes what the recipe's probes say, so write them there");
  }
  return code;
}

int conduct(const ExperimentSettings& settings, const experiment::Crew& crew) {
  const auto start = std::chrono::steady_clock::now();
  const std::string started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  const Plan plan = make_plan(settings.recipe, settings.path, settings.request);
  const std::vector<study::Check> checks = study::read_checks(plan.checks, settings.path.string());
  Arms arms;
  for (const Recipe& recipe : plan.arms) {
    arms.push_back(open_arm(recipe, settings.device, settings.path.string()));
  }
  const Recipe& first = plan.arms.front();
  const fs::path folder = settings.out.empty()
                              ? fs::path("out") / fmt::format("{}-{}", plan.name, plan.size)
                              : fs::path(settings.out);
  const bool talks = crew.leads() && !settings.quiet && !settings.print_json;
  if (talks || settings.dry_run) {
    fmt::print("{}\n", plan_text(plan, arms, first.pool.folder));
    std::fflush(stdout);
  }
  if (settings.dry_run) return 0;
  auto store = std::make_shared<pool::Store>(first.pool.folder);
  const experiment::ResultsFolder own(folder, identity_of(plan, settings.device));
  if (crew.leads()) own.claim(settings.force);
  const int code = crew.work_off(*store, all_jobs(arms, store), first.threads);
  if (!crew.leads()) return code;
  set_threads(crew.threads);
  std::vector<experiment::ArmAudit> audits;
  for (const auto& arm : arms) audits.push_back(audit_arm(*arm, *store, folder, settings));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const experiment::Outline outline{.path = settings.path,
                                    .name = plan.name,
                                    .size = plan.size,
                                    .notes = plan.notes,
                                    .seed = first.seed,
                                    .arms = arms_json(arms)};
  const experiment::WrittenResults written =
      experiment::write_results(outline, checks, failures(arms, *store), costs_of(arms, *store),
                                audits, folder, {settings.command, started, seconds, threads()});
  if (settings.print_json) {
    fmt::print("{}", written.json);
  } else {
    fmt::print("{}\n", settings.full ? report::study_text(written.study, true)
                                     : report::study_brief(written.study));
    fmt::print("\n{}", written.brief);
    fmt::print("took {}; open {}\n", experiment::duration_text(seconds),
               (folder / "report.html").string());
  }
  return code;
}

}  // namespace vestige::language
