// The sde, mmd and wasserstein families on evidence whose answer is known by construction.
#include "vestige/metrics/sde/sde_family.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/metrics/support/measured.h"
#include "vestige/audit/comparisons.h"
#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/sde/activation_sets.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kColumns = 8;

evidence::Array normal_rows(std::size_t rows, double scale, std::uint64_t index) {
  Stream stream(51, "test.sde_family", index);
  std::vector<double> values(rows * kColumns);
  for (double& value : values) value = scale * stream.normal();
  return evidence::Array::from_doubles(std::move(values), {rows, kColumns});
}

// Rows that the model trained on are spread more widely than others, which is what raises H.
evidence::Model model_of(const std::string& role, const std::string& layer, double forget_scale,
                         std::size_t forget_rows = 300) {
  evidence::Model model;
  model.role = role;
  model.name = "0";
  auto& splits = model.activations[layer];
  splits["forget"] = normal_rows(forget_rows, forget_scale, 1);
  splits["retain"] = normal_rows(400, 1.4, 2);
  splits["test"] = normal_rows(400, 1.0, 3);
  return model;
}

evidence::Evidence known_evidence(const std::string& layer = "penultimate",
                                  std::size_t forget_rows = 300) {
  evidence::Evidence evidence;
  evidence.classes = 2;
  for (const auto& [role, scale] : {std::pair("original", 1.4), std::pair("retrained", 1.0)}) {
    evidence::Group group{role, "", {model_of(role, layer, scale, forget_rows)}};
    evidence.groups.push_back(std::move(group));
  }
  return evidence;
}

Comparison compare(const evidence::Evidence& evidence, const evidence::Model& model) {
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.subject = subject_of(model);
  comparison.candidate = {&model};
  return comparison;
}

Request quick(Json options = Json::object()) {
  Request request;
  request.options = {{"sde.subsets", 20}, {"sde.shuffles", 50}, {"sde.reference_draws", 8}};
  request.options.update(options);
  return request;
}

Measurements sde_of(const evidence::Evidence& evidence, const evidence::Model& model,
                    const Request& request) {
  return measured(sde_family(), compare(evidence, model), request);
}

const Row& find(const Measurements& measured, const std::string& metric) {
  for (const Row& row : measured.rows) {
    if (row.metric == metric) return row;
  }
  ADD_FAILURE() << "no row " << metric;
  static const Row none;
  return none;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SdeFamily, TellsTrainedFromUntrained) {
  const evidence::Evidence evidence = known_evidence();
  const Measurements original = sde_of(evidence, evidence.groups[0].models[0], quick());
  const Measurements retrained = sde_of(evidence, evidence.groups[1].models[0], quick());
  EXPECT_LT(find(original, "sde.otr").value, 0.05);
  EXPECT_GT(find(retrained, "sde.otr").value, 0.95);
  EXPECT_LT(find(original, "sde.closed_form.otr").value, 0.05);
  EXPECT_GT(find(retrained, "sde.closed_form.otr").value, 0.95);
  EXPECT_EQ(find(retrained, "sde.reference_passed").value, 8);
  EXPECT_GT(find(retrained, "sde.f1.control").value, 0.95);
  EXPECT_GT(find(retrained, "sde.f1.retrained").value, 0.95);
  EXPECT_GT(find(original, "sde.h.forget").value, find(retrained, "sde.h.forget").value);
  for (const Row& row : original.rows) EXPECT_NE(row.metric, "sde.f1.retrained");
}

TEST(SdeFamily, RowsSayHowTheyWereMade) {
  const evidence::Evidence evidence = known_evidence();
  const Measurements measured = sde_of(evidence, evidence.groups[1].models[0], quick());
  // All but those of models with fixed batches.
  const auto ids = sde_family().metrics;
  EXPECT_EQ(measured.rows.size(),
            ids.size() - static_cast<std::size_t>(
                             std::count_if(ids.begin(), ids.end(), [](const MetricInfo& info) {
                               return info.id.starts_with("sde.batch.");
                             })));
  for (const Row& row : measured.rows) {
    EXPECT_EQ(row.settings["layer"], "penultimate") << row.metric;
    EXPECT_DOUBLE_EQ(row.facts["sigma"].get<double>(), std::sqrt(8.0)) << row.metric;
    EXPECT_EQ(row.subject.id(), "retrained/0");
  }
  const Row& rate = find(measured, "sde.otr");
  EXPECT_EQ(rate.facts["size"], 150);  // half of 300 forget rows: below the ladder's 400
  EXPECT_EQ(rate.n, 20U);
  EXPECT_EQ(rate.terms.size(), 8U);
  EXPECT_LE(rate.lower, rate.value);
  EXPECT_GE(rate.upper, rate.value);
  EXPECT_EQ(find(measured, "sde.f1.control").facts["size"], 100);  // a quarter of 400
  const Row& h = find(measured, "sde.h.forget");
  EXPECT_NEAR(h.value, h.facts["exact_mean"].get<double>(), 0.02 * h.value);
}

TEST(SdeFamily, OneReferencePairHasABinomialInterval) {
  const evidence::Evidence evidence = known_evidence();
  const Measurements measured =
      sde_of(evidence, evidence.groups[1].models[0], quick({{"sde.reference_draws", 1}}));
  const Row& rate = find(measured, "sde.otr");
  EXPECT_EQ(rate.interval, "Clopper-Pearson 95 % over sets");
  EXPECT_LT(rate.lower, rate.value);
  EXPECT_EQ(find(measured, "sde.f1.control").interval, "bootstrap 95 % over sets");
}

TEST(SdeFamily, CollapsedModelIsInconclusive) {
  evidence::Evidence evidence = known_evidence();
  evidence.labels["retain"] = {0, 1};
  for (auto& group : evidence.groups) {
    group.models[0].outputs["forget"] = evidence::Array::from_doubles({0, 1}, {1, 2});
  }
  const evidence::Group collapsed = audit::collapsed_group(evidence);
  ASSERT_EQ(collapsed.models.size(), 1U);
  const auto& splits = collapsed.models[0].activations.at("penultimate");
  EXPECT_EQ(splits.at("retain").shape(), (std::vector<std::size_t>{400, kColumns}));
  EXPECT_EQ(splits.at("retain").bytes().data(), splits.at("test").bytes().data());
  const Measurements measured = sde_of(evidence, collapsed.models[0], quick());
  for (const char* metric : {"sde.otr", "sde.closed_form.otr", "sde.f1.control"}) {
    EXPECT_EQ(find(measured, metric).status, Status::undefined);
    EXPECT_TRUE(std::isnan(find(measured, metric).value));
    EXPECT_TRUE(contains(find(measured, metric).note, "inconclusive"))
        << find(measured, metric).note;
  }
  EXPECT_EQ(find(measured, "sde.h.forget").value, 0);
  EXPECT_EQ(find(measured, "sde.reference_passed").value, 0);
  const Measurements median =
      sde_of(evidence, collapsed.models[0], quick({{"sde.sigma", "median"}}));
  EXPECT_EQ(find(median, "sde.otr").status, Status::undefined);
  const Comparison comparison = compare(evidence, collapsed.models[0]);
  const Measurements mmd = metrics::measured(mmd_family(), comparison, quick());
  const Measurements wasserstein = metrics::measured(wasserstein_family(), comparison, quick());
  EXPECT_TRUE(contains(find(mmd, "mmd.otr").note, "inconclusive"));
  EXPECT_TRUE(contains(find(wasserstein, "wasserstein.otr").note, "inconclusive"));
}

TEST(SdeFamily, InconclusiveWhenReferencesDoNotDiffer) {
  evidence::Evidence evidence = known_evidence();
  auto& splits = evidence.groups[0].models[0].activations["penultimate"];
  splits["retain"] = normal_rows(400, 0.9, 7);  // less dispersed than test: the wrong way round
  const Measurements measured = sde_of(evidence, evidence.groups[0].models[0], quick());
  EXPECT_EQ(find(measured, "sde.otr").status, Status::undefined);
  EXPECT_TRUE(contains(find(measured, "sde.otr").note, "inconclusive: 0 of 8 reference pairs"));
}

TEST(SdeFamily, SigmaRules) {
  const evidence::Evidence evidence = known_evidence();
  const evidence::Model& model = evidence.groups[1].models[0];
  const Row median = find(sde_of(evidence, model, quick({{"sde.sigma", "median"}})), "sde.otr");
  EXPECT_EQ(median.settings["rule"], "median");
  EXPECT_NEAR(median.facts["sigma"].get<double>(), 4, 0.4);  // sqrt(2 d) for unit normals
  const Row number = find(sde_of(evidence, model, quick({{"sde.sigma", "12.5"}})), "sde.otr");
  EXPECT_EQ(number.facts["sigma"], 12.5);
  for (const char* bad : {"0", "-1", "wide", "3x", "inf", "nan"}) {
    EXPECT_THROW(sde_of(evidence, model, quick({{"sde.sigma", bad}})), InputError) << bad;
  }
}

TEST(SdeFamily, WarnsWhenSigmaSeesNothing) {
  const evidence::Evidence evidence = known_evidence();
  const evidence::Model& model = evidence.groups[1].models[0];
  const Row wide = find(sde_of(evidence, model, quick({{"sde.sigma", "1000"}})), "sde.otr");
  EXPECT_EQ(wide.status, Status::unreliable);
  EXPECT_TRUE(contains(wide.note, "all pairs of rows alike")) << wide.note;
  const Row narrow =
      find(sde_of(evidence, model, quick({{"sde.sigma", "0.1"}})), "sde.closed_form.otr");
  EXPECT_TRUE(contains(narrow.note, "no two rows alike")) << narrow.note;
}

TEST(SdeFamily, OddSizeSaysSo) {
  const evidence::Evidence evidence = known_evidence();
  const Row row =
      find(sde_of(evidence, evidence.groups[1].models[0], quick({{"sde.size", 41}})), "sde.otr");
  EXPECT_EQ(row.facts["size"], 40);
  EXPECT_TRUE(contains(row.note, "sets of 41 rows: the last row is dropped"));
}

TEST(SdeFamily, FewRows) {
  // Half of 6 rows is 3: no halves of 2. 8 rows are enough.
  const evidence::Evidence few = known_evidence("penultimate", 6);
  const Row row = find(sde_of(few, few.groups[1].models[0], quick()), "sde.otr");
  EXPECT_EQ(row.status, Status::undefined);
  EXPECT_TRUE(contains(row.note, "sets of 3 rows")) << row.note;
  const evidence::Evidence enough = known_evidence("penultimate", 8);
  EXPECT_EQ(find(sde_of(enough, enough.groups[1].models[0], quick()), "sde.otr").facts["size"], 4);
  const evidence::Evidence fine = known_evidence();
  EXPECT_THROW(sde_of(fine, fine.groups[0].models[0], quick({{"sde.size", 3}})), InputError);
  EXPECT_THROW(sde_of(fine, fine.groups[0].models[0], quick({{"sde.size", 301}})), InputError);
  EXPECT_THROW(sde_of(fine, fine.groups[0].models[0], quick({{"sde.subsets", 0}})), InputError);
}

TEST(SdeFamily, WrongLayerNamesTheNearest) {
  const evidence::Evidence evidence = known_evidence();
  try {
    sde_of(evidence, evidence.groups[0].models[0], quick({{"sde.layer", "penultimat"}}));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_TRUE(contains(error.what(), "the nearest is \"penultimate\"")) << error.what();
  }
}

TEST(SdeFamily, LayersByListAndAll) {
  evidence::Evidence evidence = known_evidence();
  for (auto& group : evidence.groups) {
    auto& model = group.models[0];
    model.activations["block4"] = model.activations["penultimate"];
    model.outputs = model.activations["penultimate"];
  }
  EXPECT_EQ(layers_to_measure(evidence, quick()), (std::vector<std::string>{"penultimate"}));
  EXPECT_EQ(layers_to_measure(evidence, quick({{"sde.layer", "all"}})),
            (std::vector<std::string>{"block4", "logits", "penultimate"}));
  EXPECT_EQ(layers_to_measure(evidence, quick({{"sde.layer", "logits,block4"}})),
            (std::vector<std::string>{"logits", "block4"}));
  const Measurements two =
      sde_of(evidence, evidence.groups[0].models[0], quick({{"sde.layer", "logits,block4"}}));
  EXPECT_EQ(two.rows.size(), 12U);
}

TEST(SdeFamily, LogitsWithoutActivations) {
  evidence::Evidence evidence = known_evidence();
  for (auto& group : evidence.groups) {
    auto& model = group.models[0];
    model.outputs = model.activations["penultimate"];
    model.activations.clear();
  }
  const Row row = find(sde_of(evidence, evidence.groups[1].models[0], quick()), "sde.otr");
  EXPECT_EQ(row.settings["layer"], "logits");
  EXPECT_GT(row.value, 0.95);
  EXPECT_TRUE(sde_family().support(evidence).supported);
  EXPECT_TRUE(contains(sde_family().support(evidence).sentence, "no activations"));
}

TEST(SdeFamily, MissingLayerIsSkipped) {
  evidence::Evidence evidence = known_evidence();
  evidence.groups[0].models[0].activations["penultimate"].erase("test");
  const Row row = find(sde_of(evidence, evidence.groups[0].models[0], quick()), "sde.otr");
  EXPECT_EQ(row.status, Status::skipped);
  EXPECT_TRUE(contains(row.note, "add original/0/activations/penultimate/test.npy")) << row.note;
  EXPECT_FALSE(sde_family().support(evidence::Evidence{}).supported);
}

TEST(SdeFamily, NotFiniteIsUndefined) {
  evidence::Evidence evidence = known_evidence();
  std::vector<double> values(400 * kColumns, 1.0);
  values[37 * kColumns + 3] = std::numeric_limits<double>::infinity();
  evidence.groups[0].models[0].activations["penultimate"]["retain"] =
      evidence::Array::from_doubles(std::move(values), {400, kColumns});
  const Row row = find(sde_of(evidence, evidence.groups[0].models[0], quick()), "sde.otr");
  EXPECT_EQ(row.status, Status::undefined);
  EXPECT_TRUE(contains(row.note, "first in row 37 of retain")) << row.note;
}

TEST(SdeFamily, RowsWithForgottenIdsAreNoReferences) {
  evidence::Evidence evidence = known_evidence();
  for (const auto& [split, rows] : {std::pair("forget", 300), std::pair("retain", 400)}) {
    for (int row = 0; row < rows; ++row) {
      evidence.ids[split].push_back(std::to_string(row + (split[0] == 'r' ? 290 : 0)));
    }
  }
  const Row row = find(sde_of(evidence, evidence.groups[1].models[0], quick()), "sde.otr");
  EXPECT_TRUE(contains(row.note, "10 rows of retain were left out")) << row.note;
}

TEST(SdeFamily, SameBytesForOneAndTwoThreads) {
  const evidence::Evidence evidence = known_evidence();
  const evidence::Model& model = evidence.groups[1].models[0];
  set_threads(1);
  const Measurements one = sde_of(evidence, model, quick());
  set_threads(2);
  const Measurements two = sde_of(evidence, model, quick());
  set_threads(0);
  ASSERT_EQ(one.rows.size(), two.rows.size());
  for (std::size_t row = 0; row < one.rows.size(); ++row) {
    EXPECT_EQ(one.rows[row].value, two.rows[row].value);
    EXPECT_EQ(one.rows[row].facts.dump(), two.rows[row].facts.dump());
  }
}

TEST(DistanceFamilies, TellTrainedFromUntrained) {
  const evidence::Evidence evidence = known_evidence();
  for (const Family& family : {mmd_family(), wasserstein_family()}) {
    const auto row_of = [&](std::size_t group) {
      return measured(family, compare(evidence, evidence.groups[group].models[0]), quick())
          .rows.at(0);
    };
    const Row original = row_of(0), retrained = row_of(1);
    EXPECT_LT(original.value, 0.2) << original.metric;
    EXPECT_GT(retrained.value, 0.8) << retrained.metric;
    EXPECT_EQ(retrained.settings["layer"], "penultimate");
  }
}

// On the way to a retrained model forget was not seen either; of an original it was.
TEST(SdeFamily, CheckpointsOfRetrainedModelsHaveF1) {
  evidence::Evidence evidence = known_evidence();
  evidence::Model half = evidence.groups[1].models[0];
  half.role = "checkpoint";
  half.method = "retrained.0.5";
  EXPECT_GT(find(sde_of(evidence, half, quick()), "sde.f1.retrained").value, 0.95);
  const Measurements mmd = measured(mmd_family(), compare(evidence, half), quick());
  EXPECT_EQ(mmd.rows.back().metric, "mmd.f1.retrained");
  half.method = "original.0.5";
  for (const Row& row : sde_of(evidence, half, quick()).rows) {
    EXPECT_NE(row.metric, "sde.f1.retrained");
  }
}

// Shifted by two deviations in every column, sets are told apart without an error.
TEST(DistanceFamilies, F1) {
  evidence::Evidence evidence = known_evidence();
  auto& splits = evidence.groups[1].models[0].activations["penultimate"];
  std::vector<double> values;
  Stream stream(52, "test.sde_family");
  for (std::size_t i = 0; i < 400 * kColumns; ++i) values.push_back(2 + stream.normal());
  splits["retain"] = evidence::Array::from_doubles(std::move(values), {400, kColumns});
  for (const Family& family : {mmd_family(), wasserstein_family()}) {
    const Measurements found =
        measured(family, compare(evidence, evidence.groups[1].models[0]), quick());
    const std::string name(family.name);
    EXPECT_EQ(find(found, name + ".f1.control").value, 1) << name;
    EXPECT_EQ(find(found, name + ".f1.retrained").value, 1) << name;
    EXPECT_EQ(find(found, name + ".f1.control").facts["size"], 100) << name;
  }
}

// Twenty values from 1 to the median distance, which is above sqrt(8) for these rows.
TEST(SdeFamily, Bandwidths) {
  const evidence::Evidence evidence = known_evidence();
  const Measurements found =
      sde_of(evidence, evidence.groups[1].models[0], quick({{"sde.bandwidths", 20}}));
  std::vector<double> sigma;
  for (const Row& row : found.rows) {
    if (row.settings["rule"] != "sweep") continue;
    EXPECT_EQ(row.metric, "sde.f1.retrained");
    EXPECT_EQ(row.settings["bandwidth"], sigma.size() + 1);
    sigma.push_back(row.facts["sigma"].get<double>());
  }
  ASSERT_EQ(sigma.size(), 20U);
  EXPECT_EQ(sigma.front(), 1);
  EXPECT_NEAR(sigma.back(), 4, 0.4);  // sqrt(2 d) for unit normals
  EXPECT_NEAR(sigma[1] - sigma[0], sigma[19] - sigma[18], 1e-12);
}

// The paper's Figure 6: from 1 to the dimension, which is 8 here; equal ratios.
TEST(SdeFamily, BandwidthsToTheDimension) {
  const evidence::Evidence evidence = known_evidence();
  const Measurements found =
      sde_of(evidence, evidence.groups[1].models[0],
             quick({{"sde.bandwidths", 4}, {"sde.bandwidths_to", "dimension"}}));
  std::vector<double> sigma;
  for (const Row& row : found.rows) {
    if (row.settings["rule"] == "sweep") sigma.push_back(row.facts["sigma"].get<double>());
  }
  ASSERT_EQ(sigma.size(), 4U);
  const double expected[] = {1, 2, 4, 8};
  for (std::size_t index = 0; index < 4; ++index) EXPECT_NEAR(sigma[index], expected[index], 1e-9);
}

TEST(SdeFamily, FirstReferencePairsP) {
  const evidence::Evidence evidence = known_evidence();
  const Row row = find(sde_of(evidence, evidence.groups[1].models[0], quick()), "sde.reference_p");
  EXPECT_LT(row.value, 1e-9);  // 50 against 50 without overlap
  EXPECT_EQ(row.facts["of_all_pairs"].size(), 8U);
  EXPECT_EQ(row.facts["of_all_pairs"][0], row.value);
}

/// 25 batches of 16 rows; each batch is spread by its own factor, drawn so that a set across
/// batches is a mixture of them, or all alike.
evidence::Evidence batched_evidence(double spread) {
  evidence::Evidence evidence = known_evidence();
  evidence::Model& model = evidence.groups[0].models[0];
  Stream stream(53, "test.sde_batches");
  std::vector<double> values;
  std::vector<std::int64_t> batches;
  for (std::int64_t row = 0; row < 400; ++row) {
    batches.push_back(row % 25);
    for (std::size_t i = 0; i < kColumns; ++i) {
      // The centre of a batch moves all its rows alike: within it they lie closer together.
      const double centre =
          spread * std::sin(static_cast<double>(row % 25) * 7 + 3 * static_cast<double>(i));
      values.push_back(centre + stream.normal());
    }
  }
  model.activations["penultimate"]["retain"] =
      evidence::Array::from_doubles(std::move(values), {400, kColumns});
  model.batches["retain"] = evidence::Array::from_integers(batches, {400});
  model.batches["forget"] =
      evidence::Array::from_integers(std::vector<std::int64_t>(300, -1), {300});
  return evidence;
}

// Rows of one batch lie closer together than rows of all batches, so that their kernel dispersion,
// and with it H, is smaller: every set across batches passes over them.
TEST(SdeFamily, BatchesThatDifferAreSeen) {
  const evidence::Evidence evidence = batched_evidence(2);
  const Measurements found = sde_of(evidence, evidence.groups[0].models[0], quick());
  EXPECT_LT(find(found, "sde.batch.same").value, find(found, "sde.batch.cross").value);
  EXPECT_LT(find(found, "sde.batch.gap").value, 0);
  EXPECT_GT(find(found, "sde.batch.p").value, 0.99);
  EXPECT_EQ(find(found, "sde.batch.same").facts["size"], 16);
  EXPECT_EQ(find(found, "sde.batch.same").n, 25U);
}

// Batches that mean nothing: the test over sets does not see them, while about as many pairs pass
// the test over shuffles as among sets across batches.
TEST(SdeFamily, BatchesThatMeanNothing) {
  const evidence::Evidence evidence = batched_evidence(0);
  const Measurements found = sde_of(evidence, evidence.groups[0].models[0], quick());
  const Row& p = find(found, "sde.batch.p");
  EXPECT_GT(p.value, 0.01);
  EXPECT_LT(p.value, 0.99);
  const Row& passed = find(found, "sde.batch.passed");
  EXPECT_GT(passed.upper, passed.facts["of_cross_pairs"].get<double>());
  EXPECT_LT(passed.lower, passed.facts["of_cross_pairs"].get<double>());
  const evidence::Evidence drawn = known_evidence();
  for (const Row& row : sde_of(drawn, drawn.groups[0].models[0], quick()).rows) {
    EXPECT_FALSE(row.metric.starts_with("sde.batch.")) << row.metric;
  }
}

TEST(SubsetSize, Ladder) {
  EXPECT_EQ(subset_size(5000), 2000U);
  EXPECT_EQ(subset_size(4000), 2000U);
  EXPECT_EQ(subset_size(3999), 1000U);
  EXPECT_EQ(subset_size(1000), 400U);
  EXPECT_EQ(subset_size(799), 399U);
}

}  // namespace
}  // namespace vestige::metrics
