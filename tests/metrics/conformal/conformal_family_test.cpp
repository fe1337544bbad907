// The conformal family on shipped evidence and on small evidence made here.
#include "vestige/metrics/conformal/conformal_family.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "tests/metrics/support/measured.h"
#include "tests/support.h"
#include "vestige/base/seed.h"
#include "vestige/evidence/reader.h"
#include "vestige/metrics/conformal/conformal.h"

namespace vestige::metrics {
namespace {

using evidence::Evidence;
using evidence::Model;
using vestige::testing::error_of;
using vestige::testing::holds;

/// Rows per split and labels of an evidence with one original and one unlearned model; logits are
/// normal with the label's raised by 2.
struct Made {
  std::map<std::string, std::vector<std::int64_t>> labels;
  std::size_t classes = 4;
};

std::vector<std::int64_t> cycle(std::size_t count, std::size_t classes) {
  std::vector<std::int64_t> labels(count);
  for (std::size_t i = 0; i < count; ++i) labels[i] = static_cast<std::int64_t>(i % classes);
  return labels;
}

evidence::Array logits(const std::vector<std::int64_t>& labels, std::size_t classes, double lift,
                       std::uint64_t seed) {
  Stream stream(seed, "conformal_family_test");
  std::vector<double> values;
  for (const std::int64_t label : labels) {
    for (std::size_t j = 0; j < classes; ++j) {
      values.push_back(stream.normal() + (static_cast<std::size_t>(label) == j ? lift : 0));
    }
  }
  return evidence::Array::from_doubles(std::move(values), {labels.size(), classes});
}

Evidence make(const Made& made) {
  Evidence result;
  result.classes = made.classes;
  result.labels = made.labels;
  std::uint64_t seed = 1;
  for (const char* role : {"original", "unlearned"}) {
    Model model;
    model.role = role;
    model.method = std::string(role) == "unlearned" ? "finetune" : "";
    model.name = "0";
    for (const auto& [split, labels] : made.labels) {
      model.outputs[split] = logits(labels, made.classes, 2, seed++);
    }
    result.groups.push_back({model.role, model.method, {model}});
  }
  return result;
}

Made random_forgetting() {
  return {{{"forget", cycle(40, 4)},
           {"retain", cycle(60, 4)},
           {"test", cycle(80, 4)},
           {"calibration", cycle(100, 4)}}};
}

Measurements measure_model(const Evidence& evidence, const Model& model,
                           Json options = Json::object(), Control control = Control::none) {
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.subject = subject_of(model);
  comparison.short_name = model.method.empty() ? model.role : model.method;
  comparison.candidate = {&model};
  comparison.control = control;
  Progress progress("test", 1);
  return measured(conformal_family(), comparison, {.seed = 1, .options = std::move(options)});
}

Measurements measure(const Evidence& evidence, Json options = Json::object()) {
  return measure_model(evidence, evidence.groups.back().models.front(), std::move(options));
}

/// The first row of a metric at an alpha (any, if negative) under a rule; nullptr if none.
const Row* find(const Measurements& measured, std::string_view metric, double alpha = -1,
                std::string_view rule = "finite_sample", std::string_view setup = "") {
  for (const Row& row : measured.rows) {
    if (row.metric != metric || row.settings.value("setup", "") != setup) continue;
    if (alpha >= 0 && (row.settings["alpha"] != alpha || row.settings["rule"] != rule)) continue;
    return &row;
  }
  return nullptr;
}

double value(const Measurements& measured, std::string_view metric, double alpha = -1,
             std::string_view rule = "finite_sample", std::string_view setup = "") {
  const Row* row = find(measured, metric, alpha, rule, setup);
  EXPECT_NE(row, nullptr) << metric << " " << alpha << " " << rule;
  return row == nullptr ? kUndefined : row->value;
}

const SampleColumn& column(const Measurements& measured, std::string_view name) {
  for (const SampleColumn& found : measured.columns) {
    if (found.name == name) return found;
  }
  throw std::runtime_error("no column " + std::string(name));
}

// Expected values: a numpy script of the definitions (softmax in double, np.sort, np.quantile) on
// the same files.
TEST(ConformalFamily, ShippedEvidence) {
  const evidence::Reading reading =
      evidence::load(std::string(VESTIGE_SOURCE_DIR) + "/demo/fashion-one");
  const Measurements retrained =
      measure_model(reading.evidence, reading.evidence.find("retrained")->models.front());
  EXPECT_NEAR(value(retrained, "conformal.q", 0.05), 0.9748453528, 1e-9);
  EXPECT_NEAR(value(retrained, "conformal.q", 0.05, "paper"), 0.9739024120, 1e-9);
  EXPECT_NEAR(value(retrained, "conformal.coverage.forget", 0.05), 0.9525, 1e-12);
  EXPECT_NEAR(value(retrained, "conformal.set_size.forget", 0.05), 1.185, 1e-12);
  EXPECT_NEAR(value(retrained, "conformal.cr.forget", 0.05), 0.8037974684, 1e-9);
  EXPECT_NEAR(value(retrained, "conformal.cr.forget", 0.05, "paper"), 0.8054968288, 1e-9);
  EXPECT_NEAR(value(retrained, "conformal.cr.test", 0.05), 0.8164556962, 1e-9);
  EXPECT_NEAR(value(retrained, "conformal.cr.forget", 0.2), 0.9518413598, 1e-9);
  EXPECT_NEAR(value(retrained, "conformal.cr.test", 0.2, "paper"), 0.9705014749, 1e-9);
  EXPECT_EQ(value(retrained, "conformal.mislabel"), 38);
  EXPECT_EQ(value(retrained, "conformal.fake_forgetting", 0.05), 0.5);
  EXPECT_EQ(find(retrained, "conformal.fake_forgetting", 0.05)->facts["in_set"], 19);
  EXPECT_EQ(value(retrained, "conformal.ua"), 38.0 / 400);

  const Measurements original =
      measure_model(reading.evidence, reading.evidence.find("original")->models.front());
  EXPECT_EQ(value(original, "conformal.cr.forget", 0.05), 1);
  EXPECT_NEAR(value(original, "conformal.cr.test", 0.05), 0.8250539957, 1e-9);
  // Both rules give 1.0000 on forget, so there is one row; no mis-label, so no ratio.
  EXPECT_EQ(find(original, "conformal.cr.forget", 0.05, "paper"), nullptr);
  const Row* fake = find(original, "conformal.fake_forgetting", 0.05);
  ASSERT_NE(fake, nullptr);
  EXPECT_TRUE(std::isnan(fake->value));
  EXPECT_EQ(fake->status, Status::undefined);
  // Fewer mis-fits than retrained: the attack calls more of its forget rows members.
  EXPECT_GT(value(original, "conformal.mia"), value(retrained, "conformal.mia"));
  EXPECT_LT(value(original, "conformal.miacr", 0.05), value(retrained, "conformal.miacr", 0.05));
}

// One model without calibration rows: then no model is calibrated on them, so that rows compare.
TEST(ConformalFamily, OneSourceOfCalibrationForAllModels) {
  Evidence evidence =
      evidence::load(std::string(VESTIGE_SOURCE_DIR) + "/demo/fashion-one").evidence;
  const auto source = [&evidence](const char* role) {
    const Measurements measured = measure_model(evidence, evidence.find(role)->models.front());
    return find(measured, "conformal.q", 0.05)->facts["calibration"];
  };
  EXPECT_EQ(source("original"), "calibration");
  for (evidence::Group& group : evidence.groups) {
    if (group.role == "retrained") group.models.front().outputs.erase("calibration");
  }
  EXPECT_EQ(source("retrained"), "half of test");
  EXPECT_EQ(source("original"), "half of test");
  EXPECT_TRUE(holds(conformal_family().support(evidence).sentence,
                    {"some models have no calibration rows", "half of the test rows"}));
}

TEST(ConformalFamily, RowsCarryWhatReadsThem) {
  const Evidence evidence = make(random_forgetting());
  const Measurements measured = measure(evidence);
  std::set<std::string> known;
  for (const MetricInfo& info : std::vector<MetricInfo>(conformal_family().metrics))
    known.insert(std::string(info.id));
  for (const Row& row : measured.rows) {
    EXPECT_EQ(known.count(row.metric), 1u) << row.metric;
    EXPECT_EQ(row.subject.id(), "unlearned/finetune/0");
    if (!row.terms.empty()) {
      const double mean = std::accumulate(row.terms.begin(), row.terms.end(), 0.0) /
                          static_cast<double>(row.terms.size());
      EXPECT_NEAR(mean, row.value, 1e-12) << row.metric;
    }
    if (row.metric.starts_with("conformal.c")) {
      EXPECT_EQ(row.settings["score"], "scp");
      EXPECT_LE(row.lower, row.value);
      EXPECT_GE(row.upper, row.value);
    }
  }
  for (const double alpha : {0.05, 0.1, 0.15, 0.2}) {
    for (const char* id :
         {"conformal.cr.forget", "conformal.cr.test", "conformal.coverage.forget",
          "conformal.coverage.test", "conformal.set_size.forget", "conformal.set_size.test",
          "conformal.q", "conformal.miacr", "conformal.mia.q"}) {
      EXPECT_NE(find(measured, id, alpha), nullptr) << id << alpha;
    }
    for (const char* id : {"conformal.fake_forgetting", "conformal.mia.fake_forgetting"}) {
      const Row* fake = find(measured, id, alpha);
      ASSERT_NE(fake, nullptr) << id << alpha;
      EXPECT_LE(fake->facts["in_set"], fake->facts["mislabel"]);
    }
  }
  EXPECT_EQ(measured.rows.front().settings["alpha"], 0.05);
  EXPECT_EQ(find(measured, "conformal.cr.test_forget"), nullptr);
  EXPECT_EQ(find(measured, "conformal.q.forget"), nullptr);
  const Row* q = find(measured, "conformal.q", 0.05);
  EXPECT_EQ(q->n, 100u);
  EXPECT_TRUE(holds(q->note, {"only 100 calibration rows", "at least 1000"}));
  EXPECT_LE(q->lower, q->value);
  EXPECT_EQ(q->facts["q_over_size"]["rows"], Json({50, 100}));
  EXPECT_EQ(q->facts["q_over_size"]["q"].back(), q->value);
}

TEST(ConformalFamily, OptionsAreFollowed) {
  const Evidence evidence = make(random_forgetting());
  const Measurements measured = measure(evidence, {{"conformal.alpha", 0.3},
                                                   {"conformal.score", "entmax"},
                                                   {"conformal.gamma", 2.0},
                                                   {"conformal.rule", "paper"}});
  const Row& first = measured.rows.front();
  EXPECT_EQ(first.settings["alpha"], 0.3);
  EXPECT_EQ(first.settings["score"], "entmax");
  EXPECT_EQ(first.facts["gamma"], 2.0);
  EXPECT_EQ(first.settings["rule"], "paper");
  EXPECT_NE(find(measured, "conformal.cr.forget", 0.05, "paper"), nullptr);
  // Against the functions themselves: entmax ignores what is added to a row.
  const Model& model = evidence.groups.back().models.front();
  const ScoreOptions options{.score = ConformalScore::entmax, .gamma = 2};
  const double q =
      conformal_quantile(calibration_scores(evidence::matrix(model.outputs.at("calibration")),
                                            evidence.labels.at("calibration"), options),
                         0.3, QuantileRule::paper);
  EXPECT_NEAR(first.value, q, 1e-12);
  for (const char* score : {"lac", "aps", "aps_randomised"}) {
    EXPECT_FALSE(measure(evidence, {{"conformal.score", score}}).rows.empty()) << score;
  }
}

TEST(ConformalFamily, SampleColumns) {
  const Evidence evidence = make(random_forgetting());
  const Measurements measured = measure(evidence);
  const auto& sizes = column(measured, "conformal.set_size.finetune").values;
  const auto& inside = column(measured, "conformal.in_set.finetune").values;
  const auto& texts = column(measured, "conformal.set.finetune").texts;
  const auto& membership = column(measured, "conformal.membership_set.finetune").texts;
  const auto& probability = column(measured, "conformal.true_probability.finetune").values;
  const auto& loss = column(measured, "conformal.loss.finetune").values;
  ASSERT_EQ(texts.size(), 40u);
  const auto& labels = evidence.labels.at("forget");
  double covered = 0, alone = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    const auto words = static_cast<double>(
        texts[i].empty() ? 0 : 1 + std::count(texts[i].begin(), texts[i].end(), ' '));
    EXPECT_EQ(words, sizes[i]);
    const bool named = texts[i].find(std::to_string(labels[i])) != std::string::npos;
    EXPECT_EQ(named, inside[i] == 1);
    EXPECT_NEAR(loss[i], -std::log(probability[i]), 1e-12);
    covered += inside[i];
    alone += membership[i] == "0" ? 1 : 0;
  }
  EXPECT_EQ(covered / 40, value(measured, "conformal.coverage.forget", 0.05));
  EXPECT_EQ(alone / 40, value(measured, "conformal.miacr", 0.05));
  EXPECT_TRUE(measure_model(evidence, evidence.groups.back().models.front(), Json::object(),
                            Control::collapsed)
                  .columns.empty());
}

// One class forgotten: q of that class from its own calibration rows.
TEST(ConformalFamily, ClassWiseForgetting) {
  Made made = random_forgetting();
  made.labels["forget"] = std::vector<std::int64_t>(30, 2);
  made.labels["retain"] = cycle(60, 2);
  const Evidence evidence = make(made);
  const Measurements measured = measure(evidence);
  EXPECT_EQ(find(measured, "conformal.cr.test"), nullptr);
  EXPECT_EQ(find(measured, "conformal.cr.forget", 0.05)->facts["forgotten"], "class");
  const Model& model = evidence.groups.back().models.front();
  const Matrix calibration =
      evidence::probabilities(model.outputs.at("calibration"), evidence.kind);
  std::vector<double> of_class, of_others;
  for (std::size_t i = 0; i < 100; ++i) {
    const auto label = static_cast<std::size_t>(made.labels["calibration"][i]);
    (label == 2 ? of_class : of_others).push_back(1 - calibration(i, label));
  }
  const double q_forget = conformal_quantile(of_class, 0.05);
  EXPECT_EQ(value(measured, "conformal.q.forget", 0.05), q_forget);
  EXPECT_EQ(value(measured, "conformal.q", 0.05), conformal_quantile(of_others, 0.05));
  const Matrix test = evidence::probabilities(model.outputs.at("test"), evidence.kind);
  double covered = 0, wrong = 0;
  for (std::size_t i = 0; i < 80; ++i) {
    if (made.labels["test"][i] != 2) continue;
    covered += 1 - test(i, 2) <= q_forget ? 1 : 0;
    const auto row = test.row(i);
    wrong += std::max_element(row.begin(), row.end()) - row.begin() != 2 ? 1 : 0;
  }
  EXPECT_EQ(value(measured, "conformal.coverage.test_forget", 0.05), covered / 20);
  EXPECT_EQ(value(measured, "conformal.ua.test_forget"), wrong / 20);
  EXPECT_EQ(find(measured, "conformal.cr.test_retain", 0.05)->n, 60u);
}

// Two classes, absent from retain, are class-wise too; present in retain they are not.
TEST(ConformalFamily, SeveralForgottenClasses) {
  Made made = random_forgetting();
  made.labels["forget"] = cycle(20, 2);
  EXPECT_EQ(find(measure(make(made)), "conformal.q.forget"), nullptr);
  made.labels["retain"] = std::vector<std::int64_t>(30, 3);
  EXPECT_NE(find(measure(make(made)), "conformal.q.forget", 0.05), nullptr);
}

// A part of one class, and one class of which nobody says whether retain holds more.
TEST(ConformalFamily, OneLabelInForgetIsNotAClassForgotten) {
  Made made = random_forgetting();
  made.labels["forget"] = std::vector<std::int64_t>(30, 2);
  const Measurements part = measure(make(made));
  EXPECT_EQ(find(part, "conformal.q.forget"), nullptr);
  EXPECT_NE(find(part, "conformal.cr.test", 0.05), nullptr);
  made.labels.erase("retain");
  EXPECT_EQ(find(measure(make(made)), "conformal.q.forget"), nullptr);
}

// Class 1 lives on without its part "1b": q of that part from its own calibration rows, and the
// test rows of that part apart from the others.
TEST(ConformalFamily, SubclassWiseForgetting) {
  Made made = random_forgetting();
  made.labels["forget"] = std::vector<std::int64_t>(30, 1);
  Evidence evidence = make(made);
  for (const auto& [split, labels] : made.labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const bool second = split == "forget" || (split != "retain" && i % 8 == 1);
      evidence.subclasses[split].push_back(std::to_string(labels[i]) +
                                           (labels[i] == 1 && second ? "b" : "a"));
    }
  }
  const Measurements measured = measure(evidence);
  const Model& model = evidence.groups.back().models.front();
  const Matrix calibration =
      evidence::probabilities(model.outputs.at("calibration"), evidence.kind);
  std::vector<double> of_part, of_others;
  for (std::size_t i = 0; i < 100; ++i) {
    const auto label = static_cast<std::size_t>(made.labels["calibration"][i]);
    (i % 8 == 1 ? of_part : of_others).push_back(1 - calibration(i, label));
  }
  ASSERT_EQ(of_part.size(), 13u);
  EXPECT_EQ(value(measured, "conformal.q.forget", 0.2), conformal_quantile(of_part, 0.2));
  EXPECT_EQ(value(measured, "conformal.q", 0.2), conformal_quantile(of_others, 0.2));
  EXPECT_EQ(find(measured, "conformal.cr.test_forget", 0.05)->n, 10u);
  EXPECT_EQ(find(measured, "conformal.cr.test_retain", 0.05)->n, 70u);
  EXPECT_EQ(find(measured, "conformal.q", 0.05)->facts["forgotten"], "subclass");
}

TEST(ConformalFamily, AnEmptyClassIsUndefinedAndSaysSo) {
  Made made = random_forgetting();
  made.labels["retain"] = cycle(60, 3);
  made.labels["forget"] = std::vector<std::int64_t>(30, 3);
  made.labels["calibration"] = cycle(100, 3);
  const Measurements measured = measure(make(made));
  for (const char* id : {"conformal.q.forget", "conformal.cr.forget"}) {
    const Row* row = find(measured, id, 0.05);
    ASSERT_NE(row, nullptr) << id;
    EXPECT_EQ(row->status, Status::undefined) << id;
    EXPECT_TRUE(holds(row->note, {"no calibration row"})) << id;
  }
  EXPECT_TRUE(std::isfinite(value(measured, "conformal.cr.test_retain", 0.05)));
}

TEST(ConformalFamily, EmptySetsAreADefinedOutcome) {
  // Every calibration row is certain, every other row flat: q = 0 and no class reaches it.
  Evidence evidence = make(random_forgetting());
  Model& model = evidence.groups.back().models.front();
  for (auto& [split, outputs] : model.outputs) {
    const auto& labels = evidence.labels.at(split);
    outputs = logits(labels, 4, split == "calibration" ? 1000 : 0, 3);
  }
  const Measurements measured = measure(evidence);
  EXPECT_EQ(value(measured, "conformal.set_size.forget", 0.05), 0);
  EXPECT_EQ(value(measured, "conformal.coverage.forget", 0.05), 0);
  const Row* cr = find(measured, "conformal.cr.forget", 0.05);
  EXPECT_TRUE(std::isnan(cr->value));
  EXPECT_EQ(cr->status, Status::undefined);
  EXPECT_TRUE(holds(cr->note, {"every prediction set is empty"}));
}

TEST(ConformalFamily, WithoutCalibrationHalfOfTestCalibrates) {
  Made made = random_forgetting();
  made.labels.erase("calibration");
  const Evidence evidence = make(made);
  const Measurements measured = measure(evidence);
  const Row* q = find(measured, "conformal.q", 0.05);
  EXPECT_EQ(q->n, 40u);
  EXPECT_EQ(q->facts["calibration"], "half of test");
  EXPECT_TRUE(holds(q->note, {"half of the test rows"}));
  EXPECT_EQ(find(measured, "conformal.cr.test", 0.05)->n, 40u);
  EXPECT_TRUE(
      holds(conformal_family().support(evidence).sentence, {"no calibration split", "only 40"}));
}

// Shadow outputs beside the default: q from them, labels of calibration.
TEST(ConformalFamily, ShadowCalibration) {
  Evidence evidence = make(random_forgetting());
  Model& model = evidence.groups.back().models.front();
  model.outputs["calibration_shadow"] = logits(evidence.labels.at("calibration"), 4, 0.5, 77);
  const Measurements measured = measure(evidence);
  const Matrix shadow =
      evidence::probabilities(model.outputs.at("calibration_shadow"), evidence.kind);
  const double q =
      conformal_quantile(calibration_scores(shadow, evidence.labels.at("calibration")), 0.05);
  EXPECT_EQ(value(measured, "conformal.q", 0.05, "finite_sample", "shadow calibration"), q);
  EXPECT_NE(value(measured, "conformal.q", 0.05), q);
  EXPECT_NE(find(measured, "conformal.cr.forget", 0.05, "finite_sample", "shadow calibration"),
            nullptr);
  EXPECT_EQ(find(measured, "conformal.q", 0.05, "finite_sample", "semi-shadow calibration"),
            nullptr);
}

TEST(ConformalFamily, BadInputIsOneSentence) {
  Evidence evidence = make(random_forgetting());
  for (const double alpha : {0.0, 1.0, -1.0}) {
    EXPECT_TRUE(holds(error_of([&] {
                        measure(evidence, {{"conformal.alpha", alpha}});
                      }),
                      {"conformal.alpha"}));
  }
  EXPECT_TRUE(holds(error_of([&] { measure(evidence, {{"conformal.score", "raps"}}); }), {"raps"}));
  EXPECT_TRUE(holds(error_of([&] { measure(evidence, {{"conformal.rule", "x"}}); }), {"\"x\""}));
  for (std::size_t i = 0; i < 100; ++i) evidence.ids["calibration"].push_back(std::to_string(i));
  for (std::size_t i = 0; i < 80; ++i) evidence.ids["test"].push_back(std::to_string(93 + i));
  EXPECT_TRUE(holds(error_of([&] { measure(evidence); }), {"\"93\"", "calibration", "test"}));
  EXPECT_TRUE(holds(conformal_family().support(evidence).sentence, {"\"93\""}));
  evidence.ids.clear();
  evidence.labels["calibration"].pop_back();
  EXPECT_TRUE(holds(error_of([&] { measure(evidence); }), {"100 rows", "99"}));
}

TEST(ConformalFamily, SkipsWhatIsMissing) {
  Made made = random_forgetting();
  made.labels.erase("calibration");
  made.labels.erase("test");
  Evidence evidence = make(made);
  EXPECT_FALSE(conformal_family().support(evidence).supported);
  Measurements measured = measure(evidence);
  ASSERT_EQ(measured.rows.size(), 1u);
  EXPECT_EQ(measured.rows[0].status, Status::skipped);
  EXPECT_TRUE(holds(measured.rows[0].note, {"unlearned/finetune/0/calibration.npy"}));

  made = random_forgetting();
  made.labels.erase("retain");
  evidence = make(made);
  EXPECT_TRUE(holds(conformal_family().support(evidence).sentence, {"MIACR needs retain"}));
  measured = measure(evidence);
  EXPECT_EQ(find(measured, "conformal.miacr", 0.05)->status, Status::skipped);
  EXPECT_EQ(find(measured, "conformal.mia"), nullptr);
  EXPECT_TRUE(std::isfinite(value(measured, "conformal.cr.forget", 0.05)));
  EXPECT_FALSE(conformal_family().support(Evidence{}).supported);
}

}  // namespace
}  // namespace vestige::metrics
