#include "tests/words/sample_views.h"

#include <fmt/format.h>

#include <vector>

#include "tests/support/sample_reasons.h"
#include "vestige/words/dossier.h"
#include "vestige/words/first_screen.h"
#include "vestige/words/headline.h"
#include "vestige/words/ledger.h"
#include "vestige/words/remarks.h"
#include "vestige/words/requests.h"
#include "vestige/words/study_views.h"
#include "vestige/words/terminal.h"
#include "vestige/words/verdicts.h"
#include "vestige/words/words.h"

namespace vestige::words {
namespace {

using result::Code;
using result::Form;
using result::Leaning;
using result::Outcome;
using result::Quantity;
using result::reason;
using result::Verdict;
using result::VerdictTest;
using result::Word;
using testing::sample_reason;

VerdictTest test_of(std::string metric, Quantity quantity, double method, double retrained,
                    double original) {
  VerdictTest test;
  test.metric = std::move(metric);
  test.quantity = quantity;
  test.method = method;
  test.retrained = retrained;
  test.original = original;
  test.difference.how = reason(Code::by_unseen_examples, 400, 400, 1, 2);
  return test;
}

/// A primary test by the gap to unseen examples; what it shows follows from the word.
VerdictTest gap_test(Leaning leaning, Form form) {
  const double method = leaning == Leaning::under ? 0.0873 : leaning == Leaning::over ? -0.0712 : 0;
  VerdictTest test =
      form == Form::unseen
          ? test_of("holdout_gap.probability", Quantity::gap, method, 0.0021, 0.0911)
          : test_of("utility.accuracy.forget", Quantity::value, 0.91 + method, 0.91, 1);
  if (form == Form::alone) {
    test =
        test_of("holdout_gap.probability", Quantity::own_gap, method, result::kUndefined, 0.0911);
    test.difference.upper90 = 0.031;
  }
  if (form == Form::models) test.difference.how = reason(Code::by_welch, 3, 3);
  test.core = true;
  test.within = leaning == Leaning::none;
  test.shows = leaning;
  return test;
}

VerdictTest utility_test(double method, bool lost) {
  VerdictTest test = test_of("utility.accuracy.retain", Quantity::utility, method, 0.981, 0.984);
  if (lost) test.shows = Leaning::utility_loss;
  return test;
}

Verdict verdict_of(Word word, Form form) {
  Verdict verdict{.method = "finetune", .word = word, .form = form, .margin = 0.25};
  if (word == Word::traces_remain || word == Word::mixed) {
    verdict.tests.push_back(gap_test(Leaning::under, form));
  }
  if (word == Word::over_forgotten || word == Word::mixed) {
    verdict.tests.push_back(gap_test(Leaning::over, form));
  }
  if (verdict.tests.empty()) verdict.tests.push_back(gap_test(Leaning::none, form));
  if (form != Form::alone) verdict.tests.push_back(utility_test(0.979, false));
  if (word == Word::collapsed) verdict.ruin = sample_reason(Code::one_answer);
  verdict.limits = {Code::limit_always};
  return verdict;
}

std::string shown_with(const Verdict& verdict, const std::string& when = "") {
  return fmt::format("{}{}{}\n  {}\n", word(verdict.word), when.empty() ? "" : ", ", when,
                     sentence(verdict));
}

std::string verdict_views() {
  std::string text = "\n# Verdicts\n";
  const std::pair<Form, const char*> forms[] = {
      {Form::unseen, "retrained models and unseen examples"},
      {Form::models, "retrained models, no unseen examples"},
      {Form::alone, "no retrained model"}};
  for (const auto& [form, name] : forms) {
    text += fmt::format("\n## {}\n", name);
    for (const Word word : {Word::forgotten, Word::traces_remain, Word::over_forgotten, Word::mixed,
                            Word::collapsed, Word::not_decided}) {
      if (form == Form::alone &&
          (word == Word::forgotten || word == Word::over_forgotten || word == Word::mixed)) {
        continue;  // cannot be shown without a retrained model
      }
      text += shown_with(verdict_of(word, form));
    }
  }
  text += "\n## what may be added\n";
  Verdict own = verdict_of(Word::forgotten, Form::unseen);
  own.measurable_within_margin = 0.12;
  text += shown_with(own, "with a measurable difference within the margin");
  own = verdict_of(Word::forgotten, Form::unseen);
  own.additions = {{"returns.share", "returns", "returns under", "int4", 0.42, 0.3, 0.5},
                   {"returns.share", "returns", "returns under", "relearn.8", 0.31, 0.2, 0.4}};
  text += shown_with(own, "and it returns after a recovery test");
  own = verdict_of(Word::traces_remain, Form::unseen);
  own.hardly_changed = true;
  own.moved = {0.0021, 0.31};
  own.variant = "class";
  text += shown_with(own, "hardly changed, in a variant");
  own = verdict_of(Word::not_decided, Form::unseen);
  own.under = own.over = Outcome::excluded;
  own.utility_loss = Outcome::shown;
  own.tests.back() = utility_test(0.884, true);
  text += shown_with(own, "utility lost");
  own = verdict_of(Word::not_decided, Form::unseen);
  own.under = own.over = Outcome::excluded;
  own.uneven = true;
  text += shown_with(own, "uneven");
  own = verdict_of(Word::not_decided, Form::unseen);
  own.under = own.over = Outcome::excluded;
  own.cautions = {sample_reason(Code::utility_too_uncertain)};
  text += shown_with(own, "utility too uncertain");
  text += "\n## not tested\n";
  for (const Code code :
       {Code::no_retrained_model, Code::no_original_model, Code::no_unseen_examples,
        Code::no_metric_tells_original, Code::nothing_to_compare, Code::outputs_missing}) {
    Verdict none{.method = "finetune"};
    none.obstacle = sample_reason(code);
    text += shown_with(none);
  }
  own = verdict_of(Word::not_tested, Form::unseen);
  own.utility_missing = sample_reason(Code::utility_not_measured);
  text += shown_with(own, "utility missing");
  text += "\n## how a test was made\n";
  for (const Quantity quantity : {Quantity::gap, Quantity::value, Quantity::value_beyond,
                                  Quantity::utility, Quantity::own_gap}) {
    VerdictTest test = test_of("iam.online.auc", quantity, 0.6, 0.5, 0.9);
    if (quantity == Quantity::value) test.not_read = Code::below_smallest_effect;
    text += fmt::format("  {}\n", compared(test));
  }
  return text;
}

std::string headline_views() {
  std::string text = "# Headlines\n";
  const auto add = [&text](const Judged& judged) {
    const std::string all = counts(judged);
    text += fmt::format("  {}.{}{}\n", headline(judged), all.empty() ? "" : " ", all);
  };
  add({});
  add({.controls = true});
  add({.methods = 1, .only = "finetune", .words = {{Word::forgotten, 1}}});
  add({.methods = 1,
       .only = "finetune",
       .words = {{Word::forgotten, 1}},
       .marked = 1,
       .additions = {"RETURNS"}});
  add({.methods = 1, .only = "finetune", .words = {{Word::traces_remain, 1}}});
  add({.methods = 1, .only = "finetune", .words = {{Word::not_tested, 1}}});
  add({.methods = 1, .alone = true, .only = "finetune", .words = {{Word::not_decided, 1}}});
  add({.methods = 1, .alone = true, .only = "finetune", .words = {{Word::traces_remain, 1}}});
  add({.methods = 4,
       .words = {{Word::forgotten, 1}, {Word::traces_remain, 2}, {Word::not_decided, 1}}});
  add({.methods = 4, .words = {{Word::traces_remain, 3}, {Word::collapsed, 1}}});
  add({.methods = 2, .words = {{Word::forgotten, 2}}});
  add({.methods = 3, .words = {{Word::forgotten, 3}}, .marked = 1, .additions = {"RETURNS"}});
  add({.methods = 3, .words = {{Word::not_tested, 3}}});
  add({.methods = 3, .alone = true, .words = {{Word::not_decided, 3}}});
  add({.methods = 3, .alone = true, .words = {{Word::traces_remain, 2}, {Word::not_decided, 1}}});
  add({.methods = 6,
       .variants = true,
       .words = {{Word::forgotten, 2}, {Word::mixed, 1}, {Word::over_forgotten, 3}}});
  return text;
}

std::string quality_views() {
  std::string text = "\n# Evidence quality\n";
  const std::pair<const char*, Code> grades[] = {{"A", Code::grade_several_retrained},
                                                 {"B", Code::grade_one_retrained},
                                                 {"C", Code::grade_shadow_models},
                                                 {"D", Code::grade_model_alone},
                                                 {"D", Code::grade_few_examples}};
  for (const auto& [letter, code] : grades) {
    text += fmt::format("  {}\n", evidence_quality(letter, words::text(sample_reason(code))));
  }
  for (const Code code : {Code::smallest_detectable_trace, Code::original_may_be_missed,
                          Code::forgetting_can_be_shown, Code::forgetting_needs_more}) {
    text += fmt::format("  {}\n", sentence(sample_reason(code)));
  }
  return text;
}

std::string screen_views() {
  std::string text = "\n# The first screen, the summary plot and the terminal\n";
  const auto add = [&text](std::string_view line) { text += fmt::format("  {}\n", line); };
  add(kicker(false, "evidence.zip", "2026-11-18", 0));
  add(kicker(true, "recipes/smoke.toml", "2026-11-18", 0));
  for (const Utility utility : {Utility::accuracy, Utility::perplexity}) {
    add(glance_caption(utility));
    add(fmt::format("{} ({}, {})", utility_heading(utility), kRetainSet, kTestSet));
    add("probability of the true class" + plot_units(utility, true));
  }
  add(kMarksHow);
  add(fmt::format("{} | retrained, {} | original, {}", kOverForgotten, kForgottenBand,
                  kNothingForgotten));
  add(line_aloud("finetune", "TRACES REMAIN") + " " +
      mark_aloud("accuracy on the forget set", 0.91, 0.72, 1.1));
  Verdict own = verdict_of(Word::traces_remain, Form::unseen);
  add("note in the plot: " + picture_note(own));
  own.tests.front().core = false;
  add("note in the plot: " + picture_note(own));
  add(variant_heading("random", "1 method: traces remain."));
  add(unreadable_heading(3));
  add(unreadable_group("iam", 2, words::text(Code::responses_do_not_vary)));
  add(not_measured("iam, ulira"));
  add(kNotShownHeading);
  add(kVerdictsHeading);
  add(kLimitsHeading);
  add(fmt::format("{}{}", kCannotBeConcluded, limits(own)));
  add(answers("shown", "excluded", "undecided"));
  add(kRemarksHeading);
  for (int cause = 0; cause < static_cast<int>(result::Cause::other); ++cause) {
    add("  " + heading(static_cast<result::Cause>(cause)));
  }
  add(kNotMeasuredHeading);
  add(kAllMetricsHeading);
  add(kSupportHeading);
  add(kCheckpointsNote);
  add(kUnreliableNote);
  add(kItalicsNote);
  add(kRankFigureTitle);
  add(kRankFigureNote);
  add(more_settings(1));
  add(more_variants(2));
  add(warnings_heading(1));
  add(warnings_heading(2));
  add(errors_and_warnings(1, 2));
  add(holding({.models = "original x 1, retrained x 2, unlearned/finetune x 1",
               .recovered = 4,
               .recovery_tests = "relearn, int4",
               .examples = "forget 400, test 400",
               .classes = 10,
               .kind = "logits",
               .declared = true}));
  add(holding({.models = "original x 1, retrained x 1", .examples = "forget 120, test 120"}));
  return text;
}

std::string policy_views() {
  std::string text = "\n# A policy and its outcome\n";
  const auto add = [&text](std::string_view line) { text += fmt::format("  {}\n", line); };
  add(policy_heading("policy.toml", "before release", false));
  add(fmt::format("FAIL  finetune: {} ({})", words::text(sample_reason(Code::rule_verdict_not)),
                  words::text(reason(Code::found_verdict, "TRACES REMAIN"))));
  add(fmt::format("pass  {}: {} ({})", kOfEvidence, words::text(sample_reason(Code::rule_quality)),
                  words::text(sample_reason(Code::found_quality))));
  add(words::text(sample_reason(Code::policy_failed)));
  add(words::text(sample_reason(Code::policy_passed)));
  add(words::text(sample_reason(Code::margins_used)));
  add(evidence_note("evidence.zip", "B"));
  add(policy_note("policy.toml", ""));
  add(fmt::format("{}, {}", margin_of_entry(0.25), policy_of_entry(false)));
  add(history_aloud("finetune", 3));
  return text;
}

std::string request_views() {
  std::string text = "\n# Erasure requests\n";
  for (const auto word_of :
       {result::RequestWord::traces_remain, result::RequestWord::not_decided,
        result::RequestWord::no_trace_detected, result::RequestWord::not_tested}) {
    text += fmt::format("  user-17: {}\n", word(word_of));
  }
  for (const Code code : {Code::requests_of_method, Code::request_with_traces,
                          Code::requests_by_probability, Code::near_duplicates_kept}) {
    text += fmt::format("  {}\n", sentence(sample_reason(code)));
  }
  return text;
}

std::string letter_views() {
  const std::vector<Verdict> verdicts = {verdict_of(Word::traces_remain, Form::unseen),
                                         verdict_of(Word::forgotten, Form::unseen)};
  Letter letter{.answer = "1 of 2 methods is shown to forget like retraining",
                .verdicts = &verdicts,
                .grade = "B",
                .grade_reason = words::text(Code::grade_one_retrained),
                .margin = 0.25,
                .smallest_effect = 0.1,
                .utility_margin = 0.02,
                .policy = LetterPolicy{"policy.toml", true, false},
                .signer = "the Data Protection Office",
                .measured = "2026-11-18T09:00:00Z",
                .filed = "2026-11-18T10:00:00Z",
                .program = "vestige",
                .version = "0.2.0",
                .commit = "0000000"};
  return "\n# The letter of a dossier\n\n" + dossier_letter(letter);
}

std::string study_texts() {
  std::string text = "\n# An experiment\n";
  const auto add = [&text](std::string_view line) { text += fmt::format("  {}\n", line); };
  for (const std::string_view line :
       {kResultsHeading, kControlsHeading, kFailedControlsHeading, kNoiseHeading, kMarksNote,
        kFailedMetricNote, kMainTableNote, kSurvivorsNote, kNoControlsNote, kNoiseNotSeenNote}) {
    add(line);
  }
  add(failed_of_runs(2, 8));
  add(hidden_controls(3));
  add(hidden_comparisons(3));
  add(hidden_noise(3));
  add(comparison_heading(12));
  add(pairs_not_told_apart(1));
  add(blocks_left_out(2));
  add(agreement_heading(5, 20));
  add(outcomes(4, 1, 2));
  add(controls_line(12, 2, "iam.online.auc, conformal.ua"));
  add(noise_line(noise_source("training", 75)));
  return text;
}

}  // namespace

std::string sample_views() {
  return headline_views() + verdict_views() + quality_views() + screen_views() + policy_views() +
         request_views() + study_texts() + letter_views();
}

}  // namespace vestige::words
