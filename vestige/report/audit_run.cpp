// The one way from evidence to files.
#include "vestige/report/audit_run.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "vestige/audit/requests.h"
#include "vestige/base/parallel.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/page/html.h"
#include "vestige/report/page/spec_files.h"
#include "vestige/report/requests_views.h"
#include "vestige/report/tables/samples_csv.h"

namespace vestige::report {

Audited run_audit(evidence::Evidence evidence, evidence::Findings findings, const AuditRun& run,
                  std::chrono::steady_clock::time_point start) {
  Run facts{
      .command = run.command,
      .seed = run.options.seed,
      .threads = run.options.context.threads(),
      .started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
      .seconds = 0,
      .options = {},  // those in force, after the audit
      .selection =
          result::RunSelection{.metrics = run.options.metrics,
                               .methods = run.reading.methods,
                               .exclude = run.reading.exclude,
                               .keep_going = run.reading.keep_going,
                               .memory = static_cast<double>(run.options.context.memory()) / 1e9},
      .title = run.title};
  if (run.before) run.before(evidence);
  Audited audited{std::move(evidence), std::move(findings), {}, {}};
  audited.measured = audit::audit(audited.evidence, run.options);
  facts.options = audited.measured.options;
  audit::RequestOptions requests;
  requests.seed = run.options.seed;
  requests.file = run.requests;
  requests.context = run.options.context;
  requests.verdicts = audited.measured.verdicts;
  std::optional<result::Requests> judged =
      requests.context.run([&] { return audit::judge_requests(audited.evidence, requests); });
  facts.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  audited.results = audit_results(audited.evidence, audited.findings, audited.measured, facts);
  audited.results.requests = std::move(judged);
  return audited;
}

Audited run_audit(const std::filesystem::path& path, const AuditRun& run) {
  const auto start = std::chrono::steady_clock::now();
  evidence::ReadOptions options = run.reading;
  options.with_hashes = true;
  evidence::Reading reading = evidence::load(path, options, run.options.context);
  return run_audit(std::move(reading.evidence), std::move(reading.findings), run, start);
}

namespace {

/// `text` is that of results.json.
void add_numbers(const Audited& audited, const std::string& text, FileSet& files) {
  files.add("results.json", text);
  files.add_pieces("samples.csv", [&audited](const TextSink& sink) {
    write_samples_csv(audited.evidence, audited.measured.columns, sink);
  });
  if (audited.results.requests) {
    files.add("requests.csv", requests_csv(*audited.results.requests));
  }
}

/// With --force: plots and requests of the audit before, which would be taken for those of this
/// one.
void remove_earlier(const Audited& audited, const std::vector<SpecFile>& plots, FileSet& files) {
  if (!audited.results.requests) files.remove("requests.csv");
  std::error_code error;
  std::filesystem::directory_iterator entry(files.folder() / "plots", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool own = std::any_of(plots.begin(), plots.end(),
                                 [&](const SpecFile& plot) { return plot.name == name; });
    if (!own && is_spec_file(name)) files.remove("plots/" + name);
  }
}

}  // namespace

void add_numbers(const Audited& audited, FileSet& files) {
  add_numbers(audited, results_text(audited.results), files);
}

void add_files(const Audited& audited, FileSet& files, const Context& context) {
  const Results& results = audited.results;
  std::string numbers, page;
  std::vector<SpecFile> plots;
  // Side by side: after an audit of seconds nobody else is at work.
  const std::function<void()> texts[] = {[&] { page = html(results); },
                                         [&] { numbers = results_text(results); },
                                         [&] { plots = spec_files(results); }};
  context.run(
      [&] { parallel_tasks(std::size(texts), [&](std::size_t index) { texts[index](); }); });
  add_numbers(audited, numbers, files);
  files.add("report.html", page);
  for (const SpecFile& file : plots) files.add("plots/" + file.name, file.text);
  remove_earlier(audited, plots, files);
}

}  // namespace vestige::report
