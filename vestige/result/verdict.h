// What the tests say about each method: traces, over-forgetting, equivalence with retraining, or
// nothing. docs/concepts/verdicts.md has the definitions; words/verdicts.h makes the sentences.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/result/row.h"

namespace vestige::result {

/// The four outcomes of a test. What was not tested is never one of the other three.
enum class Outcome {
  shown,      ///< the difference (for equivalence: its absence beyond the margin) is shown
  excluded,   ///< a difference beyond the margin is excluded (equivalence: a difference is shown)
  undecided,  ///< tested; neither is shown
  not_tested  ///< something that the test needs is missing
};
VESTIGE_NAMES(Outcome, {Outcome::shown, "shown"}, {Outcome::excluded, "excluded"},
              {Outcome::undecided, "undecided"}, {Outcome::not_tested, "not_tested"})

/// On which side of retrained a test puts a method.
enum class Leaning { none, under, over, utility_loss };
VESTIGE_NAMES(Leaning, {Leaning::none, ""}, {Leaning::under, "under"}, {Leaning::over, "over"},
              {Leaning::utility_loss, "utility_loss"})

/// The verdict in a word.
enum class Word {
  forgotten,
  traces_remain,
  over_forgotten,
  mixed,        ///< one test shows traces, another over-forgetting
  collapsed,    ///< answers (almost) constantly or at random; says nothing about forgetting
  not_decided,  ///< tested; neither a difference nor its absence is shown
  not_tested    ///< something needed is missing or unusable
};
VESTIGE_NAMES(Word, {Word::forgotten, "forgotten"}, {Word::traces_remain, "traces_remain"},
              {Word::over_forgotten, "over_forgotten"}, {Word::mixed, "mixed"},
              {Word::collapsed, "collapsed"}, {Word::not_decided, "not_decided"},
              {Word::not_tested, "not_tested"})

/// What a method was compared with.
enum class Form {
  none,    ///< nothing could be tested
  unseen,  ///< retrained models, by the gap to unseen examples
  models,  ///< retrained models, by how much models vary; weaker
  alone,   ///< unseen examples, by the model itself: forget examples are a random draw
};
VESTIGE_NAMES(Form, {Form::none, ""}, {Form::unseen, "unseen_examples"}, {Form::models, "models"},
              {Form::alone, "model_alone"})

/// Which quantity a test compares.
enum class Quantity {
  gap,           ///< (method - retrained) on forget minus the same on unseen examples
  value,         ///< method - retrained
  value_beyond,  ///< method - retrained, minus the same metric's difference on unseen examples
  utility,       ///< method - retrained on a split that should be kept
  own_gap,       ///< forget minus unseen examples of the method alone
};
VESTIGE_NAMES(Quantity, {Quantity::gap, "gap"}, {Quantity::value, "value"},
              {Quantity::value_beyond, "value_beyond_unseen"}, {Quantity::utility, "utility"},
              {Quantity::own_gap, "own_gap"})

/// left - right. NaN throughout where nothing tells it from chance.
struct Difference {
  double estimate = kUndefined;
  double lower = kUndefined;  ///< 95 %
  double upper = kUndefined;
  double lower90 = kUndefined;  ///< 90 %: inside (-m, m) iff TOST at 5 % shows |.| < m
  double upper90 = kUndefined;
  double p = kUndefined;  ///< two-sided, of no difference
  Reason how{};           ///< how interval and p were made

  static constexpr std::string_view kType = "Difference";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("estimate", &Difference::estimate, "method minus retrained");
    visit("lower", &Difference::lower, "lower end of the 95 % interval");
    visit("upper", &Difference::upper, "upper end of the 95 % interval");
    visit("lower90", &Difference::lower90, "lower end of the 90 % interval, for equivalence");
    visit("upper90", &Difference::upper90, "upper end of the 90 % interval, for equivalence");
    visit("p", &Difference::p, "two-sided p-value of no difference");
    visit("how", &Difference::how, "how interval and p-value were made");
  }
};

/// One metric that was tested.
struct VerdictTest {
  std::string metric;
  Quantity quantity = Quantity::value;
  Difference difference;
  double margin = kUndefined;                ///< in the metric's unit
  double smallest_effect = kUndefined;       ///< likewise; smaller differences do not count
  double reference_difference = kUndefined;  ///< original-retrained difference, by this test
  double holm = kUndefined;                  ///< adjusted p; NaN for utility
  double level = kUndefined;                 ///< shown if `holm` is below it
  double method = kUndefined;                ///< mean over models
  double retrained = kUndefined;             ///< mean over models
  double original = kUndefined;              ///< mean over models
  std::size_t examples = 0;                  ///< of a utility test: examples answered
  bool unseen = false;                       ///< compares with unseen examples
  Leaning side = Leaning::none;              ///< what it shows if the difference is shown
  bool core = false;    ///< must lie within the margin before equivalence is shown
  bool within = false;  ///< TOST: the 90 % interval lies within the margin
  Leaning shows = Leaning::none;
  Reason not_read{};  ///< why a certain difference does not count; empty if it does

  static constexpr std::string_view kType = "VerdictTest";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("metric", &VerdictTest::metric, "id of the metric");
    visit("quantity", &VerdictTest::quantity, "which quantity is compared");
    visit("difference", &VerdictTest::difference, "method minus retrained");
    visit("margin", &VerdictTest::margin, "equivalence margin in the metric's unit");
    visit("smallest_effect", &VerdictTest::smallest_effect,
          "smallest difference that counts, in the metric's unit");
    visit("reference_difference", &VerdictTest::reference_difference,
          "original-retrained difference by this test");
    visit("holm", &VerdictTest::holm, "p-value adjusted over the tests of this kind");
    visit("level", &VerdictTest::level, "significance level of this kind of test");
    visit("method", &VerdictTest::method, "mean over the method's models");
    visit("retrained", &VerdictTest::retrained, "mean over the retrained models");
    visit("original", &VerdictTest::original, "mean over the original models");
    visit("examples", &VerdictTest::examples, "examples behind a utility test; 0 for others");
    visit("unseen", &VerdictTest::unseen, "whether it compares with unseen examples");
    visit("side", &VerdictTest::side, "what it would show: under or over");
    visit("core", &VerdictTest::core, "whether it must lie within the margin for FORGOTTEN");
    visit("within", &VerdictTest::within, "whether the 90 % interval lies within the margin");
    visit("shows", &VerdictTest::shows, "what it shows: under, over, utility_loss or nothing");
    visit("not_read", &VerdictTest::not_read, "why a certain difference does not count");
  }
};

/// What a metric adds to the verdict of a method, whatever the word is (metrics/addition.h).
struct VerdictAddition {
  std::string metric;
  std::string word;   ///< for policies: "returns"
  std::string words;  ///< "returns under"
  std::string what;   ///< the setting's value: "int4"
  double value = kUndefined;
  double lower = kUndefined;
  double upper = kUndefined;

  static constexpr std::string_view kType = "VerdictAddition";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("metric", &VerdictAddition::metric, "id of the metric");
    visit("word", &VerdictAddition::word, "word for policies");
    visit("words", &VerdictAddition::words, "words before the setting");
    visit("what", &VerdictAddition::what, "value of the setting");
    visit("value", &VerdictAddition::value, "the metric's value");
    visit("lower", &VerdictAddition::lower, "lower end of the 95 % interval");
    visit("upper", &VerdictAddition::upper, "upper end of the 95 % interval");
  }
};

/// How far answers on forget examples moved from the original's, on average.
struct Moved {
  double method = kUndefined;
  double retrained = kUndefined;

  static constexpr std::string_view kType = "Moved";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("method", &Moved::method, "mean change of the method's answers");
    visit("retrained", &Moved::retrained, "mean change of the retrained models' answers");
  }
};

struct Verdict {
  std::string variant{};  ///< variant of an experiment; empty in an audit
  std::string method{};   ///< "finetune"
  Subject subject{};      ///< unlearned/finetune
  Word word = Word::not_tested;
  Outcome under = Outcome::not_tested;
  Outcome over = Outcome::not_tested;
  Outcome equivalent = Outcome::not_tested;
  Outcome utility_loss = Outcome::not_tested;
  Form form = Form::none;
  double margin = kUndefined;   ///< declared: share of the original-retrained difference
  bool hardly_changed = false;  ///< moved from the original by less than a tenth of retrained's way
  Moved moved{};
  /// People or subclasses were forgotten: a difference stands only if every signal shows it.
  bool signals_must_agree = false;
  /// The model whose values it repeats ("retrained/0"), so that nothing can be tested; or empty.
  std::string same_as{};
  bool uneven = false;  ///< surer than retrained on some forget examples and less sure on others
  /// Share of the original-retrained difference that is measurable inside the margin: positive
  /// towards the original, NaN if nothing is.
  double measurable_within_margin = kUndefined;
  Reason obstacle{};         ///< why nothing could be tested
  Reason utility_missing{};  ///< what utility was not measured on; FORGOTTEN needs it
  Reason ruin{};             ///< what shows that the model is destroyed
  Reasons cautions{};        ///< what must be said beside the verdict
  Reasons limits{};          ///< what this evidence cannot show
  std::vector<VerdictTest> tests{};
  std::vector<VerdictAddition> additions{};  ///< largest value first
  /// Texts of results that were written before schema 3, shown as they are.
  std::string earlier_reason{}, earlier_sentence{};

  static constexpr std::string_view kType = "Verdict";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("variant", &Verdict::variant, "variant of the experiment; empty in an audit");
    visit("method", &Verdict::method, "unlearning method");
    visit("subject", &Verdict::subject, "the group of models");
    visit("word", &Verdict::word, "the verdict in a word");
    visit("under", &Verdict::under, "are traces shown?");
    visit("over", &Verdict::over, "is over-forgetting shown?");
    visit("equivalent", &Verdict::equivalent, "is equivalence with retraining shown?");
    visit("utility_loss", &Verdict::utility_loss, "is a loss of utility shown?");
    visit("form", &Verdict::form, "what the method was compared with");
    visit("margin", &Verdict::margin,
          "declared equivalence margin, as a share of the original-retrained difference");
    visit("hardly_changed", &Verdict::hardly_changed,
          "moved from the original by less than a tenth of what retraining moves");
    visit("moved", &Verdict::moved, "how far answers on forget examples moved from the original's");
    visit("signals_must_agree", &Verdict::signals_must_agree,
          "whether a difference counts only if every signal shows it");
    visit("same_as", &Verdict::same_as, "the model whose values it repeats; or empty");
    visit("uneven", &Verdict::uneven,
          "more confident than retrained on some forget examples and less on others, by more than "
          "the margin");
    visit(
        "measurable_within_margin", &Verdict::measurable_within_margin,
        "share of the original-retrained difference that is measurable inside the margin, towards "
        "the original; null if none is");
    visit("obstacle", &Verdict::obstacle, "why nothing could be tested");
    visit("utility_missing", &Verdict::utility_missing,
          "what utility was not measured on; FORGOTTEN needs it");
    visit("ruin", &Verdict::ruin, "what shows that the model is destroyed");
    visit("cautions", &Verdict::cautions, "what must be said beside the verdict");
    visit("limits", &Verdict::limits, "what this evidence cannot show");
    visit("tests", &Verdict::tests, "the tests behind the verdict");
    visit("additions", &Verdict::additions, "what metrics add to the verdict");
    visit("earlier_reason", &Verdict::earlier_reason, "reason as an earlier version wrote it");
    visit("earlier_sentence", &Verdict::earlier_sentence,
          "sentence as an earlier version wrote it");
  }
};

}  // namespace vestige::result
