// vestige inspect DIR: what is wrong with the evidence, and what it can support.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/verbs.h"
#include "vestige/audit/audit.h"
#include "vestige/audit/power.h"
#include "vestige/base/parallel.h"
#include "vestige/evidence/reader.h"
#include "vestige/report/results.h"
#include "vestige/report/terminal.h"

namespace vestige::cli {
namespace {

struct InspectOptions {
  std::string path;
  int threads = 0;
  bool strict = false;
  bool json = false;
};

/// What verdicts could show; nothing where the evidence has errors or lacks what it takes.
std::optional<audit::Power> power_of(const evidence::Reading& reading) {
  if (evidence::count(reading.findings, evidence::Severity::error) > 0) return std::nullopt;
  return audit::power(reading.evidence);
}

Json power_json(const std::optional<audit::Power>& power) {
  if (!power) return nullptr;
  return {{"models", power->models},
          {"forget_rows", power->forget_rows},
          {"smallest_trace", power->smallest_trace},
          {"can_show_forgetting", power->can_show_forgetting},
          {"models_needed", power->models_needed},
          {"rows_needed", power->rows_needed}};
}

Json inspect_json(const evidence::Reading& reading) {
  Json support = Json::array();
  for (const audit::FamilySupport& line : audit::support(reading.evidence)) {
    support.push_back({{"family", line.family},
                       {"supported", line.support.supported},
                       {"text", line.support.sentence}});
  }
  const audit::Grade grade = audit::grade(reading.evidence);
  return {{"path", reading.evidence.path.string()},
          {"summary", report::evidence_summary(reading.evidence)},
          {"grade", std::string(1, grade.letter)},
          {"grade_reason", grade.sentence},
          {"errors", evidence::count(reading.findings, evidence::Severity::error)},
          {"warnings", evidence::count(reading.findings, evidence::Severity::warning)},
          {"checks", report::findings_json(reading.findings)},
          {"power", power_json(power_of(reading))},
          {"support", support}};
}

int inspect(const InspectOptions& options) {
  set_threads(options.threads);
  const evidence::Reading reading = evidence::read(options.path);
  if (options.json) {
    fmt::print("{}\n", inspect_json(reading).dump(1));
  } else {
    const std::optional<audit::Power> power = power_of(reading);
    fmt::print("{}", report::inspect_text(reading.evidence, reading.findings,
                                          audit::support(reading.evidence),
                                          power ? audit::sentence(*power) : ""));
  }
  const bool fails =
      evidence::count(reading.findings, evidence::Severity::error) > 0 ||
      (options.strict && evidence::count(reading.findings, evidence::Severity::warning) > 0);
  return fails ? 2 : 0;
}

}  // namespace

void add_inspect(CLI::App& app, Context& context) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* verb = app.add_subcommand(
      "inspect", "Check evidence and say which metrics it supports and what is missing");
  verb->add_option("DIR", options->path, "Evidence: a folder, a .npz or a .safetensors file")
      ->required();
  verb->add_flag("--strict", options->strict,
                 "Exit code 2 on warnings too (default: on errors only)");
  verb->add_flag("--json", options->json, kJsonText);
  verb->add_option("--threads", options->threads, kThreadsText);
  verb->callback([options, &context] { context.exit_code = inspect(*options); });
}

}  // namespace vestige::cli
