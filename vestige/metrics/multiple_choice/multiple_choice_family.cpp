// Rows of multiple-choice questions.
#include "vestige/metrics/multiple_choice/multiple_choice_family.h"

#include <algorithm>
#include <cmath>

#include "vestige/metrics/mean_family.h"
#include "vestige/metrics/multiple_choice/multiple_choice.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

// A model that gives one option this often is at chance whatever it knows.
constexpr double kNearlyAlways = 0.9;

std::string goal_of(const evidence::Evidence& evidence, const std::string& name) {
  const auto found = evidence.choice_goals.find(name);
  return found == evidence.choice_goals.end() ? "retrained" : found->second;
}

Reason lacks_choices(const std::string& model) {
  return reason(Code::needs_choices, model + "/choices/NAME.npy, labels/choices.NAME.npy");
}

Support choices_support(const evidence::Evidence& evidence) {
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      if (!model.choices.empty()) return {true, {}};
    }
  }
  return {false, lacks_choices("ROLE/0")};
}

/// A share of questions: exact where no two options tie, else Student's t.
void set_accuracy(Row& row, std::vector<double> terms) {
  set_mean(row, std::move(terms));
  if (!std::all_of(row.terms.begin(), row.terms.end(),
                   [](double term) { return term == 0 || term == 1; })) {
    const Estimate kept = within(row.metric, {row.value, row.lower, row.upper});
    row.lower = kept.lower;
    row.upper = kept.upper;
    return;
  }
  const auto right = static_cast<std::size_t>(std::count(row.terms.begin(), row.terms.end(), 1));
  const Estimate exact = clopper_pearson(right, row.terms.size());
  row.lower = exact.lower;
  row.upper = exact.upper;
  row.interval = Code::clopper_pearson_models_fixed;
}

bool some_retrained(const Comparison& comparison, const std::string& name) {
  return std::any_of(comparison.retrained.begin(), comparison.retrained.end(),
                     [&](const evidence::Model* model) { return model->choices.count(name) > 0; });
}

/// What must be known to read the number of a method.
void add_notes(const Comparison& comparison, const std::string& name, const std::string& goal,
               double chance, MatrixView values, Row& row) {
  if (comparison.control != Control::none) return;
  if (goal == "chance" && row.upper < chance) {
    row.notes.push_back(Code::below_chance);
  } else if (goal == "chance" && row.lower <= chance) {
    row.notes.push_back(Code::chance_is_not_forgetting);
  }
  const MostChosen most = most_chosen(values);
  if (values.rows > 1 && most.share > kNearlyAlways) {
    row.notes.push_back(reason(Code::one_option_given, most.option, most.share));
  }
  if (goal != "higher" && !some_retrained(comparison, name)) {
    row.notes.push_back(reason(Code::no_retrained_beside, "retrained/0/choices/" + name + ".npy"));
  }
}

void add_questions(const Comparison& comparison, const Request& request, const std::string& name,
                   const Matrix& values, Measurements& out) {
  const auto* labels = comparison.evidence->find_labels("choices." + name);
  if (labels == nullptr || labels->size() != values.rows()) return;
  const std::string goal = goal_of(*comparison.evidence, name);
  const bool kept = goal == "higher";
  const double chance = chance_level(values);
  const auto start = [&](std::string_view id) {
    Row row = make_row(id, comparison, request);
    row.settings["choices"] = name;
    row.settings["goal"] = goal;
    row.facts["chance"] = chance;
    if (goal == "chance") row.ideal = chance;
    return row;
  };
  Row accuracy = start(kept ? "multiple_choice.accuracy.kept" : "multiple_choice.accuracy");
  set_accuracy(accuracy, chosen_right(values, *labels));
  const MostChosen most = most_chosen(values);
  accuracy.facts["most_chosen"] = most.option;
  accuracy.facts["most_chosen_share"] = most.share;
  add_notes(comparison, name, goal, chance, values, accuracy);
  out.rows.push_back(std::move(accuracy));
  // Scores above 0 are no log-likelihoods: they have no probabilities.
  const auto all = values.values();
  if (std::any_of(all.begin(), all.end(), [](double value) { return value > 0; })) return;
  Row probability =
      start(kept ? "multiple_choice.probability.kept" : "multiple_choice.probability");
  set_mean(probability, right_probabilities(values, *labels));
  const Estimate inside =
      within(probability.metric, {probability.value, probability.lower, probability.upper});
  probability.lower = inside.lower;
  probability.upper = inside.upper;
  out.rows.push_back(std::move(probability));
}

Measurements measure_choices(const Comparison& comparison, const Request& request, Progress&) {
  Measurements out;
  const evidence::Model& model = *comparison.candidate.front();
  for (const auto& [name, array] : model.choices) {
    add_questions(comparison, request, name, evidence::matrix(array), out);
  }
  if (out.rows.empty() && comparison.control == Control::none) {
    Row row = make_row("multiple_choice.accuracy", comparison, request);
    row.status = Status::skipped;
    row.notes = {lacks_choices(model.id())};
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace

Family multiple_choice_family() {
  return {.name = "multiple_choice",
          .summary = "does a language model still answer multiple-choice questions",
          .metrics = {{.id = "multiple_choice.accuracy",
                       .direction = Direction::match,
                       .ideal = kUndefined,
                       .name = "multiple-choice accuracy",
                       .what = "share of questions whose right option is the most probable one",
                       .shows_forgetting = true},
                      {.id = "multiple_choice.accuracy.kept",
                       .direction = Direction::higher,
                       .ideal = 1,
                       .name = "multiple-choice accuracy to keep",
                       .what = "the same for questions that should still be answered"},
                      {.id = "multiple_choice.probability",
                       .direction = Direction::match,
                       .ideal = kUndefined,
                       .name = "probability of the right option",
                       .what = "mean probability of the right option among the options",
                       .shows_forgetting = true},
                      {.id = "multiple_choice.probability.kept",
                       .direction = Direction::higher,
                       .ideal = 1,
                       .name = "probability of the right option to keep",
                       .what = "the same for questions that should still be answered"}},
          .ranges = {{"multiple_choice", kShare}},
          .support = choices_support,
          .prepare = each(measure_choices)};
}

}  // namespace vestige::metrics
