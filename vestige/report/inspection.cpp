// Inspection of evidence in words and as JSON.
#include "vestige/report/inspection.h"

#include <utility>

#include "vestige/report/results.h"
#include "vestige/report/terminal.h"

namespace vestige::report {
namespace {

Json power_json(const std::optional<audit::Power>& power) {
  if (!power) return nullptr;
  return {{"models", power->models},
          {"forget_rows", power->forget_rows},
          {"smallest_trace", power->smallest_trace},
          {"can_show_forgetting", power->can_show_forgetting},
          {"models_needed", power->models_needed},
          {"rows_needed", power->rows_needed}};
}

}  // namespace

std::size_t Inspection::errors() const {
  return evidence::count(reading.findings, evidence::Severity::error);
}

std::size_t Inspection::warnings() const {
  return evidence::count(reading.findings, evidence::Severity::warning);
}

Inspection inspect(evidence::Reading reading) {
  Inspection inspection{std::move(reading), {}, {}};
  inspection.support = audit::support(inspection.reading.evidence);
  if (inspection.errors() == 0) inspection.power = audit::power(inspection.reading.evidence);
  return inspection;
}

Json inspection_json(const Inspection& inspection) {
  const evidence::Reading& reading = inspection.reading;
  Json support = Json::array();
  for (const audit::FamilySupport& line : inspection.support) {
    support.push_back({{"family", line.family},
                       {"supported", line.support.supported},
                       {"seconds", json_number(line.seconds)},
                       {"text", line.support.sentence}});
  }
  const audit::Grade grade = audit::grade(reading.evidence);
  return {{"path", reading.evidence.path.string()},
          {"summary", evidence_summary(reading.evidence)},
          {"grade", std::string(1, grade.letter)},
          {"grade_reason", grade.sentence},
          {"errors", inspection.errors()},
          {"warnings", inspection.warnings()},
          {"checks", findings_json(reading.findings)},
          {"power", power_json(inspection.power)},
          {"support", support}};
}

std::string inspection_text(const Inspection& inspection) {
  return inspect_text(inspection.reading.evidence, inspection.reading.findings, inspection.support,
                      inspection.power ? audit::sentence(*inspection.power) : "");
}

}  // namespace vestige::report
