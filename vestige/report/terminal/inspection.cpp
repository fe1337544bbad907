// Inspection of evidence in words and as JSON.
#include "vestige/report/terminal/inspection.h"

#include <utility>

#include "vestige/report/results.h"
#include "vestige/report/terminal/terminal.h"
#include "vestige/words/words.h"

namespace vestige::report {
namespace {

Json power_json(const std::optional<audit::Power>& power) {
  if (!power) return nullptr;
  return {{"models", power->models},
          {"forget_examples", power->forget_examples},
          {"smallest_trace", json_number(power->smallest_trace)},
          {"can_show_forgetting", power->can_show_forgetting},
          {"models_needed", power->models_needed},
          {"forget_examples_needed", power->forget_needed},
          {"unseen_examples_needed", power->unseen_needed}};
}

}  // namespace

std::size_t Inspection::errors() const {
  return evidence::count(reading.findings, evidence::Severity::error);
}

std::size_t Inspection::warnings() const {
  return evidence::count(reading.findings, evidence::Severity::warning);
}

Inspection inspect(evidence::Reading reading, const Context& context) {
  Inspection inspection{std::move(reading), {}, {}};
  inspection.support =
      context.run([&] { return audit::support(inspection.reading.evidence, context); });
  audit::VerdictOptions options;
  options.context = context;
  if (inspection.errors() == 0) {
    inspection.power = audit::power(inspection.reading.evidence, options);
  }
  return inspection;
}

Json inspection_json(const Inspection& inspection) {
  const evidence::Reading& reading = inspection.reading;
  Json support = Json::array();
  for (const audit::FamilySupport& line : inspection.support) {
    support.push_back({{"group", line.family},
                       {"supported", line.support.supported},
                       {"seconds", json_number(line.seconds)},
                       {"text", support_text(line)}});
  }
  const result::Grade grade = audit::evidence_quality(reading.evidence);
  return {{"path", reading.evidence.path.string()},
          {"summary", evidence_summary(reading.evidence)},
          {"grade", std::string(1, grade.letter)},
          {"grade_reason", words::text(grade.reason)},
          {"errors", inspection.errors()},
          {"warnings", inspection.warnings()},
          {"checks", findings_json(reading.findings)},
          {"power", power_json(inspection.power)},
          {"support", support}};
}

std::string inspection_text(const Inspection& inspection, std::size_t width) {
  return inspect_text(inspection.reading.evidence, inspection.reading.findings, inspection.support,
                      inspection.power ? words::sentences(audit::reasons(*inspection.power)) : "",
                      width);
}

}  // namespace vestige::report
