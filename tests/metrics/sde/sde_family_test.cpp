// The family sde on evidence whose answer is known by construction.
#include "vestige/metrics/sde/sde_family.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/metrics/sde/known_activations.h"
#include "vestige/audit/comparisons.h"
#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/sde/set_options.h"

namespace vestige::metrics {
namespace {

using namespace known_activations;

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

// Which other models are there, and so which are measured together, changes no number: ten models
// are a batch of eight and two by themselves; one has fewer rows, one holds NaN.
TEST(SdeFamily, NumbersDoNotDependOnOtherModels) {
  evidence::Evidence evidence = known_evidence("penultimate", 600);
  for (std::size_t index = 0; index < 8; ++index) {
    const double scale = 1 + 0.05 * static_cast<double>(index);
    evidence::Model model = model_of("unlearned", "penultimate", scale, index == 2 ? 500 : 600);
    model.name = std::to_string(index);
    if (index == 4) {
      model.activations["penultimate"]["test"] = evidence::Array::from_doubles(
          std::vector<double>(400 * kColumns, std::numeric_limits<double>::quiet_NaN()),
          {400, kColumns});
    }
    evidence.groups.push_back({"unlearned", "m" + std::to_string(index), {std::move(model)}});
  }
  const Request request = quick({{"sde.size", 300}});
  std::vector<Comparison> comparisons;
  for (const evidence::Group& group : evidence.groups) {
    comparisons.push_back(compare(evidence, group.models[0]));
  }
  Progress progress("sde", comparisons.size());
  const Measure measure = sde_family().prepare({evidence, request, comparisons, &progress});
  for (const Comparison& comparison : comparisons) {
    const Measurements together = measure(comparison, progress);
    const Measurements alone = measured(sde_family(), comparison, request);
    ASSERT_EQ(together.rows.size(), alone.rows.size());
    for (std::size_t row = 0; row < alone.rows.size(); ++row) {
      const Row &left = together.rows[row], &right = alone.rows[row];
      EXPECT_EQ(left.metric, right.metric);
      EXPECT_EQ(left.note, right.note);
      EXPECT_EQ(left.facts.dump(), right.facts.dump());
      if (!std::isnan(right.value)) {
        EXPECT_EQ(left.value, right.value) << right.metric;
      }
    }
    EXPECT_EQ(together.series.size(), alone.series.size());
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

TEST(SdeFamily, FirstReferencePairsP) {
  const evidence::Evidence evidence = known_evidence();
  const Row row = find(sde_of(evidence, evidence.groups[1].models[0], quick()), "sde.reference_p");
  EXPECT_LT(row.value, 1e-9);  // 50 against 50 without overlap
  EXPECT_EQ(row.facts["of_all_pairs"].size(), 8U);
  EXPECT_EQ(row.facts["of_all_pairs"][0], row.value);
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
