// From audits to files.
#include "vestige/experiment/results.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "vestige/base/file.h"
#include "vestige/experiment/failures.h"
#include "vestige/experiment/histories.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/page/html.h"
#include "vestige/report/page/spec_files.h"
#include "vestige/report/tables/study_tables.h"
#include "vestige/report/terminal/brief.h"
#include "vestige/study/inherit_controls.h"
#include "vestige/study/summary.h"

namespace vestige::experiment {
namespace {

void write_all(const std::filesystem::path& folder, const std::vector<report::TableFile>& tables) {
  FileSet files(folder, true);
  for (const report::TableFile& table : tables) files.add(table.name, table.text);
  files.commit();
}

std::size_t planned_audits(const Experiment& experiment) {
  std::size_t count = 0;
  for (const Variant& variant : experiment.variants) {
    for (const AuditPlan& audit : variant.plan.audits) {
      count += static_cast<std::size_t>(audit.attack_seeds);
    }
  }
  return count;
}

}  // namespace

void write_page_so_far(const Experiment& experiment, const std::vector<VariantAudit>& audits,
                       const std::filesystem::path& folder, const RunFacts& facts) {
  std::vector<study::StudyRow> rows = study_rows(audits);
  const study::Study so_far = study::study(rows, {}, {}, {});
  study::mark_failed(rows, so_far.controls);
  report::Results document = experiment::document(experiment, audits, so_far, {}, facts);
  document.rows = std::move(rows);
  std::set<std::pair<std::string, std::uint64_t>> variants;
  for (const VariantAudit& audit : audits) variants.insert({audit.variant, audit.split_seed});
  document.run.title =
      fmt::format("Still running: {} of {} audits, {} of {} variants", audits.size(),
                  planned_audits(experiment), variants.size(), experiment.variants.size());
  document.run.running = true;
  write_file(folder / "report.html", report::html(document));
}

WrittenResults write_results(const Experiment& experiment, const std::vector<VariantAudit>& audits,
                             pool::Store& store, const std::filesystem::path& folder,
                             const RunFacts& facts) {
  Outline outline = outline_of(experiment);
  outline.histories = histories(experiment, store);
  outline.moved = moves(experiment, store);
  return write_results(outline, experiment.checks, failed_runs(experiment, store, audits),
                       costs(experiment, store), audits, folder, facts);
}

WrittenResults write_results(const Outline& outline, const std::vector<study::Check>& checks,
                             const std::vector<result::FailedRuns>& failed,
                             const std::vector<result::MethodCost>& costs,
                             const std::vector<VariantAudit>& audits,
                             const std::filesystem::path& folder, const RunFacts& facts) {
  std::vector<study::StudyRow> rows = study_rows(audits);
  WrittenResults written{study::study(rows, checks, {.moved = outline.moved}, failed), {}, {}};
  study::mark_failed(rows, written.study.controls);
  report::Results document = experiment::document(outline, audits, written.study, costs, facts);
  document.rows = std::move(rows);
  written.json = report::results_text(document);
  written.brief = report::audit_brief(document, report::terminal_style());
  write_file(folder / "results.json", written.json);
  std::vector<report::TableFile> page = {{"report.html", report::html(document)}};
  for (const report::SpecFile& file : report::spec_files(document)) {
    page.push_back({"plots/" + file.name, file.text});
  }
  write_all(folder, page);
  write_all(folder / "tables", report::study_csv(written.study));
  write_all(folder / "tables", report::study_latex(written.study));
  write_all(folder / "tables", report::main_tables(written.study));
  return written;
}

}  // namespace vestige::experiment
