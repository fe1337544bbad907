// Texts of reasons/policy.def.
#include "vestige/words/entry.h"

namespace vestige::words {

using result::Code;

Entries policy_words() {
  return {
      {Code::rule_verdict_not, "verdict is not {condition}"},
      {Code::rule_verdict_one_of, "verdict is {conditions?/one of }{conditions}"},
      {Code::rule_method_present, "the results have this method"},
      {Code::rule_some_method, "the results have a method"},
      {Code::rule_accuracy_loss, "accuracy loss on retain and test at most {most:g}"},
      {Code::rule_likelihood_loss, "log-probability loss on retain and test at most {most:g}"},
      {Code::rule_at_least,
       "{metric}{+difference} minus the retrained value{/} at least {least:g}{+interval}, for the "
       "whole interval{/}"},
      {Code::rule_at_most,
       "{metric}{+difference} minus the retrained value{/} at most {most:g}{+interval}, for the "
       "whole interval{/}"},
      {Code::rule_between,
       "{metric}{+difference} minus the retrained value{/} between {least:g} and "
       "{most:g}{+interval}, for the whole interval{/}"},
      {Code::rule_quality, "evidence quality at least {grade}"},
      {Code::rule_verdict_follows, "the verdict follows from its tests"},
      {Code::rule_no_warning, "no warning about the evidence"},
      {Code::rule_no_finding, "no finding {finding}"},
      {Code::rule_no_request_traces, "no request with traces"},
      {Code::rule_requests_decided, "every request is decided"},
      {Code::rule_no_model_left_out,
       "no model left out because of errors{+allowed}, except {allowed:and}{/}"},
      {Code::rule_no_method_left_out, "no method that the policy is about was left out"},
      {Code::rule_limits_inform,
       "every original model breaks a limit on a metric that shows forgetting"},
      {Code::rule_margins,
       "verdicts made with margin at most {margin:g}, smallest effect at most "
       "{smallest_effect:g}, utility margin at most {utility:g}, likelihood margin at most "
       "{likelihood:g}"},
      {Code::found_verdict, "verdict {verdict}"},
      {Code::found_answer, "verdict {verdict}, {question}: {outcome}"},
      {Code::found_contradiction,
       "verdict {verdict} beside under: {under}, over: {over}, equivalent: {equivalent}. The file "
       "was changed after the audit wrote it; audit again"},
      {Code::found_addition, "verdict {verdict}, {words} {setting} ({value:.2f})"},
      {Code::found_no_method, "there is no method to check"},
      {Code::found_no_such_method, "there is no method of this name"},
      {Code::found_not_measured,
       "cannot be checked: {metric} was not measured, or its value cannot be used"},
      {Code::found_change, "{split} {change:+.4g} compared with retrained"},
      {Code::found_no_test,
       "cannot be checked: {quantity} was not tested on {splits:and} examples"},
      {Code::found_value, "{value:.6g}"},
      {Code::found_difference, "{value:.6g}, retrained {retrained:.6g}"},
      {Code::found_more_values, "{values#more value/more values} within the limit"},
      {Code::found_for_model, "{model}: {reasons}"},
      {Code::found_undefined, "the value is undefined{+notes}: {notes}{/}"},
      {Code::found_unreliable, "{value:.6g} is unreliable{+notes}: {notes}{/}"},
      {Code::found_no_retrained_value, "cannot be checked: there is no retrained value"},
      {Code::found_no_interval, "cannot be checked: {value:.6g} has no interval"},
      {Code::found_above, "{value:.6g} is above {most:g}"},
      {Code::found_below, "{value:.6g} is below {least:g}"},
      {Code::found_no_value,
       "cannot be checked: the method has no such value. 'skipped' in results.json says what the "
       "metric needs"},
      {Code::found_original_too,
       "not informative: an original model satisfies every limit too, on {metrics:and}. Such "
       "limits cannot show forgetting. Tighten them, or add [verdicts] present = "
       "[\"forgotten\"]"},
      {Code::found_no_original_value,
       "not tested: no original model has a usable value of {metrics:and}. Add an original model "
       "to the evidence, or add [verdicts] present = [\"forgotten\"] to the policy"},
      {Code::found_original_breaks, "it breaks the limit on {metrics:and}"},
      {Code::found_quality, "{grade}{+reasons}: {reasons}{/}"},
      {Code::found_no_quality, "the results do not state the evidence quality"},
      {Code::found_nothing, "none"},
      {Code::found_finding, "{finding}: {reasons}"},
      {Code::found_no_findings,
       "cannot be checked: the results do not list findings about the evidence. Audit it again"},
      {Code::found_excluded,
       "the audit left out {methods:and} by --exclude, and the policy does not. Name them in the "
       "policy's exclude, or audit all methods"},
      {Code::found_selected,
       "the audit was of {methods:and} alone (--methods), and the policy is about all methods. "
       "Name "
       "them in the policy's methods, or audit all methods"},
      {Code::found_margins,
       "margin {margin:g}, smallest effect {smallest_effect:g}, utility margin {utility:g}, "
       "likelihood margin {likelihood:g}"},
      {Code::found_margin_above,
       "{+value}{key} {value:g} is above {most:g}{/}{-value}cannot be checked: the results do not "
       "state {key}{/}"},
      {Code::found_no_requests,
       "cannot be checked: the results have no requests. Add requests.csv to the evidence"},
      {Code::found_requests,
       "{traces} of {requests#request} {traces?shows/show} traces{+untested}, {untested} not "
       "tested{/}{+first}; the worst is {first}{/}"},
      {Code::found_requests_decided, "{decided} of {requests#request} {decided?is/are} decided"},
      {Code::margins_used,
       "Declared margins: {margin:g} of the original-retrained difference (smallest effect "
       "{smallest_effect:g}); {utility:g} of accuracy, {likelihood:g} nats per token for language "
       "models."},
      {Code::policy_passed, "policy passed: {checks#check}, none failed"},
      {Code::policy_failed, "policy failed: {failed} of {checks#check} failed"},
  };
}

}  // namespace vestige::words
