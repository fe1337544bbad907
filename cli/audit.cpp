// vestige audit DIR --out OUT: measure everything, write results.json and samples.csv.
#include "vestige/audit/audit.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <optional>

#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/parallel.h"
#include "vestige/base/progress.h"
#include "vestige/evidence/reader.h"
#include "vestige/report/results_json.h"
#include "vestige/report/samples_csv.h"
#include "vestige/report/terminal.h"

namespace vestige::cli {
namespace {

struct Options {
  std::string path;
  std::string out;
  std::string json;
  std::vector<std::string> metrics;
  std::uint64_t seed = 1;
  int threads = 0;
  bool force = false;
  bool quiet = false;
  std::string epsilon_mode = "exact";
  std::string epsilon_setup;
  std::size_t epsilon_models = 0;
  std::size_t epsilon_experiments = 20;
  double lm_k = 20;
  std::size_t lm_levels = 1000;
  std::string lm_direction = "code";
  double lm_epsilon1 = 1e-1;
  double lm_epsilon2 = 1e-5;
};

Json metric_options(const Options& options) {
  Json json = {{"epsilon.mode", options.epsilon_mode}};
  if (!options.epsilon_setup.empty()) {
    json["epsilon.setup"] = options.epsilon_setup;
    json["epsilon.experiments"] = options.epsilon_experiments;
  }
  if (options.epsilon_models > 0) json["epsilon.models"] = options.epsilon_models;
  json["lm.k"] = options.lm_k;
  json["lm.levels"] = options.lm_levels;
  json["lm.direction"] = options.lm_direction;
  json["lm.epsilon1"] = options.lm_epsilon1;
  json["lm.epsilon2"] = options.lm_epsilon2;
  return json;
}

int run(const Options& options, const std::string& command) {
  require(options.json.empty() || options.json == "-",
          "--json {}: only - (standard output) is known; --out FOLDER writes results.json",
          options.json);
  set_threads(options.threads);
  if (options.quiet) set_progress_style(ProgressStyle::quiet);
  // Refuse before the work, not after it.
  std::optional<FileSet> files;
  if (!options.out.empty()) files.emplace(options.out, options.force);

  const auto start = std::chrono::steady_clock::now();
  report::Run run_facts{
      .command = command,
      .seed = options.seed,
      .threads = threads(),
      .started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
      .seconds = 0,
      .options = metric_options(options)};
  const evidence::Reading reading = evidence::load(options.path, true);
  const audit::AuditResult result =
      audit::audit(reading.evidence, {options.metrics, options.seed, run_facts.options});
  run_facts.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::string json =
      report::results_json(reading.evidence, reading.findings, result, run_facts);
  if (files) {
    files->add("results.json", json);
    files->add("samples.csv", report::samples_csv(reading.evidence, result.columns));
    check_interrupt();
    files->commit();
  }
  if (options.json == "-") {
    fmt::print("{}", json);
  } else if (!options.quiet) {
    fmt::print("{}", report::audit_table(reading.evidence, reading.findings, result));
    fmt::print("\n{}\n", options.out.empty() ? "nothing was written: give --out FOLDER"
                                             : options.out + "/results.json");
  }
  return 0;
}

}  // namespace

void add_audit(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "audit", "Measure what is left of the forgotten data; write results.json and samples.csv");
  verb->add_option("DIR", options->path, "Evidence: a folder, a .npz or a .safetensors file")
      ->required();
  verb->add_option("--out", options->out,
                   "Folder for results.json and samples.csv (default: nothing is written)");
  verb->add_flag("--force", options->force,
                 "Replace results in an --out folder that is not empty (default: refuse)");
  verb->add_option("--json", options->json,
                   "-: print results.json instead of the table (default: the table)");
  verb->add_option("--metrics", options->metrics,
                   "Families or ids, separated by commas (default: all that the evidence supports)")
      ->delimiter(',');
  verb->add_option("--seed", options->seed, "Root of every random draw")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--threads", options->threads, "Threads; 0: one per core");
  verb->add_flag("--quiet", options->quiet, "No progress and no table (default: both)");
  verb->add_option("--epsilon-mode", options->epsilon_mode,
                   "exact: every cut point; reference: the public scorer's grids")
      ->check(CLI::IsMember({"exact", "reference"}));
  verb->add_option("--epsilon-setup", options->epsilon_setup,
                   "Also estimate F over experiments (default: none)")
      ->check(CLI::IsMember({"full", "reuse-n-n", "reuse-n-1", "bootstrap"}));
  verb->add_option("--epsilon-models", options->epsilon_models,
                   "N, models per experiment or, without a setup, in all; 0: as many as there are");
  verb->add_option("--epsilon-experiments", options->epsilon_experiments,
                   "E, experiments of the bootstrap setup");
  verb->add_option("--lm-k", options->lm_k,
                   "Language models: per cent of tokens in min-k%, min-k%++ and SURP");
  verb->add_option("--lm-levels", options->lm_levels,
                   "Language models: IAM levels between shadow and original");
  verb->add_option("--lm-direction", options->lm_direction,
                   "Language models: IAM levels from original to shadow (code) or back (paper)")
      ->check(CLI::IsMember({"paper", "code"}));
  verb->add_option("--lm-epsilon1", options->lm_epsilon1,
                   "Language models: bounds IAM responses near p = 0");
  verb->add_option("--lm-epsilon2", options->lm_epsilon2,
                   "Language models: bounds IAM responses near p = 1");
  verb->callback([options, &context] { context.exit_code = run(*options, context.command); });
}

}  // namespace vestige::cli
