// The protocol on evidence: the same numbers as the function on plain arrays, and what is left out.
#include "vestige/metrics/mia_protocol/mia_protocol_family.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/metrics/support/measured.h"
#include "tests/metrics/support/shadow_evidence.h"
#include "vestige/base/error.h"
#include "vestige/metrics/mia_protocol/mia_protocol.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kModels = 8;
constexpr std::size_t kRows[] = {40, 60};

/// Binary models [0, x]: the probability of class 1, the label of every row, is 1 / (1 + e^-x).
struct Made {
  evidence::Evidence evidence;
  Matrix probabilities{kModels, 100}, population{kModels, 50};
  std::vector<std::uint8_t> keep = std::vector<std::uint8_t>(kModels * 100);
};

/// Half of the models were trained on each row, which adds `leak`. `balanced` false: row 0 is in
/// one model only.
Made make(double leak, bool balanced = true) {
  Made made;
  made.evidence.classes = 2;
  made.evidence.labels = {{"forget", std::vector<std::int64_t>(kRows[0], 1)},
                          {"retain", std::vector<std::int64_t>(kRows[1], 1)},
                          {"test", std::vector<std::int64_t>(50, 1)}};
  Stream stream(4, "test.membership");
  std::vector<double> easy;
  for (std::size_t row = 0; row < 100; ++row) {
    easy.push_back(stream.normal());
    const std::size_t count = !balanced && row == 0 ? 1 : kModels / 2;
    for (const std::size_t model : stream.sample(kModels, count)) made.keep[model * 100 + row] = 1;
  }
  made.evidence.groups.push_back({"membership", "", {}});
  for (std::size_t index = 0; index < kModels; ++index) {
    evidence::Model model;
    model.role = "membership";
    model.name = std::to_string(index);
    std::size_t row = 0;
    for (const char* split : {"forget", "retain", "test"}) {
      const std::size_t rows = made.evidence.labels.at(split).size();
      std::vector<double> logits;
      std::vector<std::int64_t> members;
      for (std::size_t i = 0; i < rows; ++i, ++row) {
        const bool test = std::string(split) == "test";
        const bool in = !test && made.keep[index * 100 + row] != 0;
        const double x = (test ? 0 : easy[row]) + (in ? leak : 0) + 0.3 * stream.normal();
        logits.insert(logits.end(), {0, x});
        members.push_back(in ? 1 : 0);
        const double p = 1 / (1 + std::exp(-x));
        (test ? made.population(index, i) : made.probabilities(index, row)) = p;
      }
      model.outputs[split] = evidence::Array::from_doubles(logits, {rows, 2});
      model.members[split] = evidence::Array::from_integers(members, {rows});
    }
    made.evidence.groups[0].models.push_back(std::move(model));
  }
  return made;
}

Measurements measure_mia_protocol(const evidence::Evidence& evidence,
                                  Json options = Json::object()) {
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.subject = parse_subject("evidence");
  Progress progress(ProgressStyle::quiet, "test", 1);
  return measured(mia_protocol_family(), comparison, {1, std::move(options)});
}

TEST(MiaProtocolFamily, GivesWhatTheFunctionGives) {
  const Made made = make(2);
  EXPECT_TRUE(mia_protocol_family().support(made.evidence).supported);
  const Json options = {{"mia_protocol.shadows", {2, 6}}};
  const Measurements measured = measure_mia_protocol(made.evidence, options);
  ASSERT_EQ(measured.rows.size(), 18U);  // 2 numbers x 3 attacks x (AUC and two rates)
  for (const std::size_t shadows : {2U, 6U}) {
    const MiaProtocol plain = mia_protocol({made.probabilities, made.keep, made.population},
                                           {.shadows = shadows, .seed = 1});
    for (const auto& [attack, score] :
         {std::pair<const char*, const ProtocolScore*>{"iam", &plain.iam},
          {"lira", &plain.lira},
          {"rmia", &plain.rmia}}) {
      SCOPED_TRACE(attack);
      const Row* auc = nullptr;
      const Row* zero = nullptr;
      for (const Row& row : measured.rows) {
        if (row.settings["shadows"] != shadows) continue;
        if (row.metric == fmt::format("mia_protocol.{}.auc", attack)) auc = &row;
        if (row.metric == fmt::format("mia_protocol.{}.tpr", attack) && row.settings["fpr"] == 0) {
          zero = &row;
        }
      }
      ASSERT_NE(auc, nullptr);
      // Probabilities here come back from logits through log-probabilities: rounding only.
      EXPECT_NEAR(auc->value, score->auc, 1e-12);
      EXPECT_NEAR(zero->value, score->tpr_at_zero, 1e-12);
      EXPECT_EQ(auc->n, kModels);
      EXPECT_EQ(auc->subject.id(), "membership");
      EXPECT_EQ(auc->facts["rows"], 100);
      EXPECT_GT(auc->value, 0.9);
    }
  }
}

TEST(MiaProtocolFamily, NoLeakNoAttack) {
  // 800 attacked rows: standard error about 0.02.
  const Made made = make(0);
  EXPECT_NEAR(measure_mia_protocol(made.evidence).rows[0].value, 0.5, 0.08);
}

TEST(MiaProtocolFamily, RowsWithTooFewModelsAreLeftOutAndSaid) {
  const Made made = make(1, false);
  const Row auc = measure_mia_protocol(made.evidence).rows[0];
  EXPECT_EQ(auc.facts["rows"], 99);
  EXPECT_EQ(auc.notes.at(0), reason(Code::examples_with_few_models, 1, 2));
  const Row none = measure_mia_protocol(made.evidence, {{"mia_protocol.shadows", {8}}}).rows[0];
  EXPECT_EQ(none.status, Status::undefined);
  EXPECT_EQ(none.notes.at(0), reason(Code::no_example_with_enough_models, 4));
  EXPECT_THROW(measure_mia_protocol(made.evidence, {{"mia_protocol.shadows", {3}}}), InputError);
}

TEST(MiaProtocolFamily, NeedsMarksAndPopulation) {
  Made made = make(1);
  for (evidence::Model& model : made.evidence.groups[0].models) model.outputs.erase("test");
  const Measurements measured = measure_mia_protocol(made.evidence);
  EXPECT_EQ(find_row(measured, "mia_protocol.rmia.auc")->status, Status::undefined);
  EXPECT_EQ(find_row(measured, "mia_protocol.iam.auc")->status, Status::ok);
  for (evidence::Model& model : made.evidence.groups[0].models) model.members.clear();
  EXPECT_FALSE(mia_protocol_family().support(made.evidence).supported);
}

}  // namespace
}  // namespace vestige::metrics
