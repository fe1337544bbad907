// Conducts an experiment from its recipe to its page: tunes, searches, trains, unlearns, collects,
// audits and writes, alone or with a crew. bench, tune and demo are its options.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vestige/experiment/crew.h"
#include "vestige/experiment/estimates/estimate.h"
#include "vestige/experiment/experiment.h"
#include "vestige/experiment/measure.h"
#include "vestige/experiment/results_folder.h"
#include "vestige/experiment/slurm.h"
#include "vestige/pool/lock.h"

namespace vestige::experiment {

struct ConductorSettings {
  std::filesystem::path path{};  ///< the recipe
  Json recipe{};                 ///< the recipe itself, where it is not read from `path`
  PlanRequest request{};         ///< its size, its changes, its pool
  std::string out{};             ///< folder; empty: out/NAME-SIZE
  std::string device = "cpu";
  std::string command{};    ///< as it was typed, for results.json
  bool quiet = false;       ///< prints the results only
  bool full = false;        ///< tables with every setting of every metric
  bool print_json = false;  ///< prints results.json instead of plan and tables
  bool force = false;       ///< replaces the results of another experiment
};

class Conductor {
 public:
  Conductor(ConductorSettings settings, Crew crew);

  /// The experiment as the recipe and the request have it.
  ExperimentPlan plan() const;
  /// Lowers N and E until the estimate fits, and says so.
  void fit(double seconds, Probes& probes);
  /// Prints plan and estimate.
  void dry_run(Probes& probes);
  /// What a job array of this experiment asks Slurm for, all but its command; so many elements, or
  /// with 0 as many as array_size gives.
  SlurmJob slurm(std::size_t elements, Probes& probes);
  /// Everything. Returns the exit code: 0, or the crew's if a job failed.
  int run();
  /// The grid of a variant, measured below `folder`: key, methods, text, `controls` (why no point
  /// was chosen; empty if some were) and `lost` (methods of which no point worked); null in a
  /// worker, which cannot know it yet.
  Json tune(const VariantPlan& variant, const Json& table, const std::filesystem::path& folder);
  /// Prints what tune would try and how long that takes.
  void dry_run_tune(const VariantPlan& variant, const Json& table, Probes& probes);

  bool leads() const { return crew_.leads(); }
  int exit_code() const { return exit_code_; }

 private:
  std::filesystem::path folder(const ExperimentPlan& plan) const;
  /// Gives the methods of variants that ask for it the options that tuning found; false in a
  /// worker.
  bool tune_variants(ExperimentPlan& plan, const std::filesystem::path& folder);
  /// Searches the forget rows of variants that ask for the hardest; false in a worker.
  bool search_variants(ExperimentPlan& plan, const std::filesystem::path& folder);
  /// Trains, unlearns, collects and audits; empty in a process that only works for another.
  std::vector<VariantAudit> measure_all(const Experiment& experiment,
                                        const std::filesystem::path& folder,
                                        const std::string& started = {});
  /// On stderr, where nothing else says it.
  void say_failures(const Experiment& experiment);
  /// Prints the plan and returns the estimate; by measured rates where there is no such device.
  TimeEstimate look_ahead(const Experiment& experiment, Probes& probes);
  void open_store(const VariantPlan& variant);
  int work(const VariantPlan& variant, const std::vector<pool::Job>& jobs);
  /// Whether this process leads, or does from now on, because it is to be elected and nobody else
  /// holds the lead. Waits, where asked, until the holder is heard of or known for dead.
  bool take_lead(bool wait);
  bool talks() const { return leads() && !settings_.quiet && !settings_.print_json; }

  ConductorSettings settings_;
  Crew crew_;
  std::shared_ptr<pool::Store> store_;
  std::optional<ResultsFolder> results_;  ///< of run(); claimed by whoever leads
  std::optional<pool::Lock> lead_;        ///< of the elected; beside the results' folder
  int exit_code_ = 0;
};

}  // namespace vestige::experiment
