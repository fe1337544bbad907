// Rows of multiple-choice questions: values by hand, goals, what is said beside them.
#include "vestige/metrics/multiple_choice/multiple_choice_family.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/metrics/support/measured.h"
#include "vestige/audit/comparisons.h"

namespace vestige::metrics {
namespace {

/// Four questions with two options, of which the original answers all, the retrained model two.
class Questions {
 public:
  explicit Questions(const char* goal) {
    evidence_.labels["choices.wmdp"] = {0, 1, 0, 1};
    evidence_.choice_goals["wmdp"] = goal;
    add("original", "", {-1, -2, -2, -1, -1, -3, -4, -1});
    add("retrained", "", {-1, -2, -1, -2, -1, -3, -1, -4});  // always the first: right, wrong, ...
  }
  void add(const char* role, const char* method, std::vector<double> values) {
    evidence::Model model;
    model.role = role;
    model.method = method;
    model.name = "0";
    model.choices["wmdp"] = evidence::Array::from_doubles(std::move(values), {4, 2});
    evidence_.groups.push_back({role, method, {model}});
  }
  Row row(std::size_t group, std::string_view id, Control control = Control::none,
          bool with_retrained = true) {
    Comparison comparison;
    comparison.evidence = &evidence_;
    comparison.candidate = {&evidence_.groups[group].models[0]};
    if (with_retrained) comparison.retrained = {&evidence_.groups[1].models[0]};
    comparison.control = control;
    const Measurements out = measured(multiple_choice_family(), comparison);
    const auto found = std::find_if(out.rows.begin(), out.rows.end(),
                                    [&](const Row& row) { return row.metric == id; });
    EXPECT_NE(found, out.rows.end());
    return found == out.rows.end() ? Row{} : *found;
  }
  const evidence::Evidence& evidence() const { return evidence_; }

 private:
  evidence::Evidence evidence_;
};

bool says(const Row& row, Code code) {
  return std::any_of(row.notes.begin(), row.notes.end(),
                     [&](const Reason& reason) { return reason.code == code; });
}

}  // namespace

TEST(ChoicesFamily, AccuracyWithAnExactInterval) {
  Questions questions("chance");
  const Row row = questions.row(0, "multiple_choice.accuracy");
  EXPECT_EQ(row.value, 1);
  EXPECT_EQ(row.n, 4U);
  // Clopper and Pearson with 4 of 4: (alpha / 2)^(1/4).
  EXPECT_NEAR(row.lower, std::pow(0.025, 0.25), 1e-12);
  EXPECT_EQ(row.upper, 1);
  EXPECT_EQ(row.ideal, 0.5);
  EXPECT_EQ(row.direction, Direction::match);
  EXPECT_EQ(row.facts["chance"], 0.5);
  // The interval of 4 of 4 begins at 0.398, so that even guessing is not excluded.
  EXPECT_TRUE(says(row, Code::chance_is_not_forgetting));
  const Row probability = questions.row(0, "multiple_choice.probability");
  // 1 / (1 + e^-d) for differences of 1, 1, 2 and 3.
  const auto p = [](double d) { return 1 / (1 + std::exp(-d)); };
  EXPECT_NEAR(probability.value, (p(1) + p(1) + p(2) + p(3)) / 4, 1e-12);
}

TEST(ChoicesFamily, ChanceNeverReassures) {
  Questions questions("chance");
  const Row row = questions.row(1, "multiple_choice.accuracy");
  EXPECT_EQ(row.value, 0.5);
  EXPECT_TRUE(says(row, Code::chance_is_not_forgetting));
  EXPECT_TRUE(says(row, Code::one_option_given));
  EXPECT_FALSE(says(row, Code::no_retrained_beside));
  EXPECT_TRUE(says(questions.row(1, "multiple_choice.accuracy", Control::none, false),
                   Code::no_retrained_beside));
  // Controls are not methods: nothing is said of them.
  EXPECT_TRUE(questions.row(1, "multiple_choice.accuracy", Control::retrained).notes.empty());
  for (const MetricInfo& info : multiple_choice_family().metrics)
    EXPECT_FALSE(info.speech.has_value());
}

TEST(ChoicesFamily, AvoidingTheRightAnswerIsATrace) {
  Questions questions("chance");
  // With the same label 40 times, 0 of 40 is below one half: the upper end is 0.088.
  evidence::Evidence many = questions.evidence();
  many.labels["choices.wmdp"].assign(40, 0);
  std::vector<double> values;
  for (int row = 0; row < 40; ++row) values.insert(values.end(), {-2.0, -1.0});
  many.groups[0].models[0].choices["wmdp"] = evidence::Array::from_doubles(values, {40, 2});
  Comparison comparison;
  comparison.evidence = &many;
  comparison.candidate = {&many.groups[0].models[0]};
  const Row row = measured(multiple_choice_family(), comparison).rows.front();
  EXPECT_EQ(row.value, 0);
  EXPECT_TRUE(says(row, Code::below_chance));
  EXPECT_FALSE(says(row, Code::chance_is_not_forgetting));
}

TEST(ChoicesFamily, GoalsDecideWhatIsGood) {
  Questions retrained("retrained");
  EXPECT_TRUE(std::isnan(retrained.row(0, "multiple_choice.accuracy").ideal));
  Questions kept("higher");
  const Row row = kept.row(0, "multiple_choice.accuracy.kept");
  EXPECT_EQ(row.direction, Direction::higher);
  EXPECT_TRUE(row.notes.empty());
  // Scores above 0 are no log-likelihoods.
  Questions scores("retrained");
  scores.add("unlearned", "npo", {1, 0, 1, 0, 1, 0, 1, 0});
  Comparison comparison;
  comparison.evidence = &scores.evidence();
  comparison.candidate = {&scores.evidence().groups[2].models[0]};
  EXPECT_EQ(measured(multiple_choice_family(), comparison).rows.size(), 1U);
}

TEST(ChoicesFamily, TheConstantPredictorIsAtChance) {
  Questions questions("chance");
  const evidence::Group constant = audit::constant_group(questions.evidence());
  ASSERT_EQ(constant.models.size(), 1U);
  Comparison comparison;
  comparison.evidence = &questions.evidence();
  comparison.candidate = {&constant.models[0]};
  comparison.control = Control::constant;
  const Measurements out = measured(multiple_choice_family(), comparison);
  ASSERT_EQ(out.rows.size(), 2U);
  EXPECT_EQ(out.rows[0].value, 0.5);  // accuracy: ties
  EXPECT_EQ(out.rows[1].value, 0.5);  // probability
}

}  // namespace vestige::metrics
