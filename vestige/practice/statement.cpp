// The letter and the predicate from results, policy and what was said when the dossier was made.
#include "vestige/practice/statement.h"

#include "vestige/practice/gate.h"
#include "vestige/practice/ledger.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/report/summary_plot.h"
#include "vestige/result/codec.h"
#include "vestige/words/verdicts.h"

namespace vestige::practice {
namespace {

words::Letter letter_of(const report::Results& results, const std::optional<FiledPolicy>& policy,
                        const Filing& filing) {
  words::Letter letter;
  letter.answer = report::answer(report::summary_plots(results), results.verdicts);
  letter.verdicts = &results.verdicts;
  letter.grade = report::text_of(results.evidence, "grade");
  letter.grade_reason = report::text_of(results.evidence, "grade_reason");
  const Json margins = declared_margins(results);
  letter.margin = report::number_of(margins, "margin");
  letter.smallest_effect = report::number_of(margins, "smallest_effect");
  letter.utility_margin = report::number_of(margins, "utility_margin");
  if (policy) letter.policy = policy->outcome;
  letter.signer = filing.signer;
  letter.measured = results.run.started;
  letter.filed = filing.filed;
  letter.program = report::text_of(results.tool, "name");
  letter.version = report::text_of(results.tool, "version");
  letter.commit = report::text_of(results.tool, "commit");
  letter.evidence_inside = filing.evidence_inside;
  return letter;
}

Json policy_json(const std::optional<FiledPolicy>& policy) {
  if (!policy) return nullptr;
  return {{"name", policy->outcome.name},
          {"sha256", policy->sha256},
          {"in_results", policy->outcome.in_results},
          {"passed", policy->outcome.passed}};
}

/// The checks of a gate without the name of its file, which may have been renamed since.
Json checks_of(result::Gate gate) {
  gate.policy.clear();
  return result::json_of(gate);
}

}  // namespace

FiledPolicy filed_policy(std::string_view text, const std::string& name,
                         const report::Results& results) {
  const Policy policy = parse_policy(text, name);
  const Gate outcome = gate(results, policy);
  const bool declared = results.gate && !results.gate->sha256.empty();
  return {{policy.name, declared, outcome.passed},
          policy.sha256,
          gate_markdown(outcome, results),
          !declared || checks_of(*results.gate) == checks_of(outcome)};
}

Statement statement_of(const report::Results& results, const std::optional<FiledPolicy>& policy,
                       const Filing& filing) {
  const words::Letter letter = letter_of(results, policy, filing);
  Json verdicts = Json::array();
  for (const audit::Verdict& verdict : results.verdicts) {
    verdicts.push_back({{"variant", verdict.variant},
                        {"method", verdict.method},
                        {"word", result::name(verdict.word)},
                        {"sentence", words::sentence(verdict)},
                        {"limits", words::limits(verdict)}});
  }
  Json inputs = Json::array();
  for (const Json& input : results.inputs) {
    inputs.push_back(
        {{"path", report::text_of(input, "path")}, {"sha256", report::text_of(input, "sha256")}});
  }
  return {{{"created", letter.filed},
           {"signer", letter.signer},
           {"measured", letter.measured},
           {"by", results.tool},
           {"answer", letter.answer},
           {"grade", letter.grade},
           {"grade_reason", letter.grade_reason},
           {"verdicts", verdicts},
           {"margins", declared_margins(results)},
           {"policy", policy_json(policy)},
           {"ledger", filing.ledger},
           {"evidence_inside", letter.evidence_inside},
           {"evidence", inputs}},
          words::dossier_letter(letter)};
}

std::string contradiction_of(const Json& predicate, const Json& expected) {
  const auto worded = [](Json statement) {
    for (const char* words : {"answer", "grade_reason"}) statement.erase(words);
    if (statement.contains("verdicts") && statement["verdicts"].is_array()) {
      for (Json& verdict : statement["verdicts"]) {
        if (!verdict.is_object()) continue;
        for (const char* words : {"sentence", "limits"}) verdict.erase(words);
      }
    }
    return statement;
  };
  const Json stated = worded(predicate), own = worded(expected);
  for (const auto& [key, value] : own.items()) {
    if (!stated.contains(key) || stated[key] != value) return key;
  }
  for (const auto& [key, value] : stated.items()) {
    if (!own.contains(key)) return key;
  }
  return {};
}

}  // namespace vestige::practice
