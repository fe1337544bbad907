// One run of an experiment, as bench, tune and demo share it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/lab_options.h"
#include "cli/verbs.h"
#include "launch/launch.h"
#include "vestige/experiment/estimate.h"
#include "vestige/experiment/measure.h"
#include "vestige/experiment/plan.h"

namespace vestige::cli {

class BenchRun {
 public:
  BenchRun(const LabOptions& lab, Context& context);

  std::filesystem::path path;           ///< the recipe
  Json recipe;                          ///< the recipe itself, where it is not read from `path`
  experiment::ProtocolRequest request;  ///< its size; --set, --threads and --pool are filled in
  std::string out;                      ///< empty: out/NAME-SIZE
  bool full = false;
  bool print_json = false;
  bool show_tables = true;

  /// Lowers N and E until the estimate fits, and says so.
  void fit(double seconds, experiment::Probes& probes);
  /// Prints plan and estimate.
  void dry_run(experiment::Probes& probes);
  /// Everything; sets the exit code.
  void run();
  /// Trains, unlearns, collects and audits; empty in a process that only works for another.
  std::vector<experiment::ArmAudit> measure(const experiment::Experiment& experiment,
                                            const std::filesystem::path& folder);

  experiment::Protocol protocol() const;
  /// The grid of an arm, measured; null in a worker that cannot know it yet.
  Json tune(const experiment::ArmPlan& arm, const Json& table, const std::filesystem::path& folder);
  bool leads() const { return lab_.worker < 0 && launch_.place().rank == 0; }

 private:
  std::filesystem::path folder(const experiment::Protocol& protocol) const;
  /// The forget rows of arms that ask for the worst case; false like `tune_arms`.
  bool search_arms(experiment::Protocol& protocol, const std::filesystem::path& folder);
  /// False in a worker that cannot know the options yet.
  bool tune_arms(experiment::Protocol& protocol, const std::filesystem::path& folder);
  /// Works off jobs with all workers; the exit code if something failed.
  void open_store(const experiment::ArmPlan& arm);
  int work(const experiment::ArmPlan& arm, const std::vector<pool::Job>& jobs);
  void write(const experiment::Experiment& experiment,
             const std::vector<experiment::ArmAudit>& audits, const std::filesystem::path& folder,
             const std::string& started, double seconds);

  const LabOptions& lab_;
  Context& context_;
  launch::Launch launch_;
  std::shared_ptr<pool::Store> store_;
};

}  // namespace vestige::cli
