// How often verdicts are wrong where people were forgotten: simulated models that learn persons and
// rows, and that also differ from one another by person. The table of
// docs/validation/verdict-rates.md is what this prints.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <tuple>

#include "vestige/audit/audit.h"
#include "vestige/base/seed.h"
#include "vestige/words/verdicts.h"

namespace vestige::audit {
namespace {

constexpr std::size_t kPersons = 40;    ///< in training; each has rows in test too
constexpr std::size_t kForgotten = 10;  ///< of them, the first ones
constexpr std::size_t kTrainRows = 30;  ///< of each person
constexpr std::size_t kTestRows = 20;

/// Two classes, the true one first. The logit of a row is 1 + how easy it is (the same for all
/// models) + the model's mood + the model's mood about this person + noise, and 1 more where the
/// model was trained on the person, another 1 where it was trained on this very row; all of it
/// times how sure the model is in general.
class SimulatedPersons {
 public:
  /// `losses`: models show the loss of a row and nothing else, as language models of sequences do.
  SimulatedPersons(std::size_t models, double about_person, int draw, bool losses)
      : draw_(static_cast<std::uint64_t>(draw) * 1000),
        about_person_(about_person),
        losses_(losses) {
    add_rows("forget", 0, kForgotten, kTrainRows);
    add_rows("retain", kForgotten, kPersons, kTrainRows);
    add_rows("test", 0, kPersons, kTestRows);
    evidence_.classes = losses ? 0 : 2;
    if (losses) evidence_.labels.clear();
    // How many of the forgotten persons each kind was trained on.
    add("original", "", models, kForgotten);
    add("retrained", "", models, 0);
    add("unlearned", "fresh", models, 0);
    add("unlearned", "half", models, kForgotten / 2);
    add("unlearned", "untouched", models, kForgotten);
  }

  const evidence::Evidence& evidence() const { return evidence_; }

 private:
  void add_rows(const std::string& split, std::size_t first, std::size_t last, std::size_t rows) {
    Stream stream(draw_, "persons.easy." + split);
    for (std::size_t person = first; person < last; ++person) {
      for (std::size_t row = 0; row < rows; ++row) {
        persons_[split].push_back(person);
        easy_[split].push_back(1.5 * stream.normal());
        evidence_.subjects[split].push_back(fmt::format("person {}", person));
        evidence_.labels[split].push_back(0);
      }
    }
  }

  void add(const std::string& role, const std::string& method, std::size_t count,
           std::size_t known) {
    evidence::Group group{role, method, {}};
    for (std::size_t index = 0; index < count; ++index) {
      evidence::Model model;
      model.role = role;
      model.method = method;
      model.name = std::to_string(index);
      Stream stream(draw_ + index, "persons." + role + method);
      const double mood = 0.3 * stream.normal();
      const double sureness = std::exp(0.05 * stream.normal());
      std::vector<double> moods;
      for (std::size_t person = 0; person < kPersons; ++person) {
        moods.push_back(about_person_ * stream.normal());
      }
      for (const auto& [split, persons] : persons_) {
        std::vector<double> logits, losses;
        for (std::size_t row = 0; row < persons.size(); ++row) {
          const std::size_t person = persons[row];
          const bool met = person >= kForgotten || person < known;
          const double learnt = met ? (split == "test" ? 1 : 2) : 0;
          logits.push_back(sureness * (1 + easy_.at(split)[row] + mood + moods[person] +
                                       0.7 * stream.normal() + learnt));
          losses.push_back(std::log1p(std::exp(-logits.back())));
          logits.push_back(0);
        }
        if (losses_) {
          model.losses[split] = evidence::Array::from_doubles(std::move(losses), {persons.size()});
          continue;
        }
        model.outputs[split] =
            evidence::Array::from_doubles(std::move(logits), {persons.size(), 2});
      }
      group.models.push_back(std::move(model));
    }
    evidence_.groups.push_back(std::move(group));
  }

  std::uint64_t draw_;
  double about_person_;
  bool losses_;
  std::map<std::string, std::vector<std::size_t>> persons_;
  std::map<std::string, std::vector<double>> easy_;
  evidence::Evidence evidence_;
};

struct PersonRates {
  double alarms = 0, forgotten = 0, half_detected = 0, half_wrongly_cleared = 0,
         original_detected = 0;
};

PersonRates person_rates(std::size_t models, double about_person, bool losses) {
  const char* asked = std::getenv("VESTIGE_DRAWS");
  const int draws = asked == nullptr ? 100 : std::atoi(asked);
  PersonRates rates;
  for (int draw = 0; draw < draws; ++draw) {
    const SimulatedPersons simulated(models, about_person, draw, losses);
    const AuditResult result = audit(simulated.evidence(), {.metrics = {"holdout_gap"}});
    const double one = 1.0 / draws;
    for (const Verdict& verdict : result.verdicts) {
      const bool traces = verdict.under == Outcome::shown;
      if (verdict.obstacle.empty()) {
        EXPECT_EQ(words::limits(verdict).find("Supply two retrained models") != std::string::npos,
                  models == 1);
      }
      const bool like_retrained = verdict.word == Word::forgotten;
      if (verdict.method == "fresh") {
        rates.alarms += traces || verdict.over == Outcome::shown ? one : 0;
        rates.forgotten += like_retrained ? one : 0;
      } else if (verdict.method == "half") {
        rates.half_detected += traces ? one : 0;
        rates.half_wrongly_cleared += like_retrained ? one : 0;
      } else {
        rates.original_detected += traces ? one : 0;
      }
    }
  }
  fmt::print("| persons{} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n",
             losses ? ", losses" : "", models, about_person, rates.alarms, rates.forgotten,
             rates.half_detected, rates.half_wrongly_cleared, rates.original_detected);
  return rates;
}

class SubjectRates : public ::testing::TestWithParam<std::tuple<std::size_t, double>> {};

TEST_P(SubjectRates, OnSimulatedPersons) {
  const auto [models, about_person] = GetParam();
  const PersonRates seen = person_rates(models, about_person, false);
  EXPECT_LE(seen.alarms, 0.05 + 1e-9);
  EXPECT_LE(seen.half_wrongly_cleared, 0.05 + 1e-9);
  EXPECT_GE(seen.half_detected, 0.90);
  EXPECT_GE(seen.original_detected, 0.95);
}

// The same persons where models show losses alone, as of sequences: one signal must do.
TEST_P(SubjectRates, OnLossesOfSimulatedPersons) {
  const auto [models, about_person] = GetParam();
  const PersonRates seen = person_rates(models, about_person, true);
  EXPECT_LE(seen.alarms, 0.05 + 1e-9);
  EXPECT_LE(seen.half_wrongly_cleared, 0.05 + 1e-9);
  EXPECT_GE(seen.half_detected, 0.90);
  EXPECT_GE(seen.original_detected, 0.95);
}

// Moods about a person: none, and a third of the noise of a row.
INSTANTIATE_TEST_SUITE_P(Models, SubjectRates,
                         ::testing::Combine(::testing::Values(1, 2, 3, 5),
                                            ::testing::Values(0.0, 0.2)));

}  // namespace
}  // namespace vestige::audit
