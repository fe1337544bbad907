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
#include "vestige/base/context.h"
#include "vestige/base/error.h"
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
  EXPECT_EQ(rate.interval.code, Code::clopper_pearson_over_sets);
  EXPECT_LT(rate.lower, rate.value);
  EXPECT_EQ(find(measured, "sde.f1.control").interval.code, Code::bootstrap_over_sets);
}

TEST(SdeFamily, CollapsedModelIsInconclusive) {
  evidence::Evidence evidence = known_evidence();
  evidence.labels["retain"] = {0, 1};
  for (auto& group : evidence.groups) {
    group.models[0].outputs["forget"] = evidence::Array::from_doubles({0, 1}, {1, 2});
  }
  const evidence::Group constant = audit::constant_group(evidence);
  ASSERT_EQ(constant.models.size(), 1U);
  const auto& splits = constant.models[0].activations.at("penultimate");
  EXPECT_EQ(splits.at("retain").shape(), (std::vector<std::size_t>{400, kColumns}));
  EXPECT_EQ(splits.at("retain").bytes().data(), splits.at("test").bytes().data());
  const Measurements measured = sde_of(evidence, constant.models[0], quick());
  for (const char* metric : {"sde.otr", "sde.closed_form.otr", "sde.f1.control"}) {
    EXPECT_EQ(find(measured, metric).status, Status::undefined);
    EXPECT_TRUE(std::isnan(find(measured, metric).value));
    EXPECT_EQ(find(measured, metric).notes.at(0).code, Code::activations_are_constant);
  }
  EXPECT_EQ(find(measured, "sde.h.forget").value, 0);
  EXPECT_EQ(find(measured, "sde.reference_passed").value, 0);
  const Measurements median =
      sde_of(evidence, constant.models[0], quick({{"sde.sigma", "median"}}));
  EXPECT_EQ(find(median, "sde.otr").status, Status::undefined);
  const Comparison comparison = compare(evidence, constant.models[0]);
  const Measurements mmd = metrics::measured(mmd_family(), comparison, quick());
  const Measurements wasserstein = metrics::measured(wasserstein_family(), comparison, quick());
  EXPECT_EQ(find(mmd, "mmd.otr").notes.at(0).code, Code::activations_are_constant);
  EXPECT_EQ(find(wasserstein, "wasserstein.otr").notes.at(0).code, Code::references_equally_far);
}

TEST(SdeFamily, InconclusiveWhenReferencesDoNotDiffer) {
  evidence::Evidence evidence = known_evidence();
  auto& splits = evidence.groups[0].models[0].activations["penultimate"];
  splits["retain"] = normal_rows(400, 0.9, 7);  // less dispersed than test: the wrong way round
  const Measurements measured = sde_of(evidence, evidence.groups[0].models[0], quick());
  EXPECT_EQ(find(measured, "sde.otr").status, Status::undefined);
  EXPECT_EQ(find(measured, "sde.otr").notes.at(0), reason(Code::reference_pairs_fail_u_test, 0, 8));
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
  EXPECT_EQ(wide.notes.back().code, Code::bandwidth_too_large);
  const Row narrow =
      find(sde_of(evidence, model, quick({{"sde.sigma", "0.1"}})), "sde.closed_form.otr");
  EXPECT_EQ(narrow.notes.back().code, Code::bandwidth_too_small);
}

TEST(SdeFamily, OddSizeSaysSo) {
  const evidence::Evidence evidence = known_evidence();
  const Row row =
      find(sde_of(evidence, evidence.groups[1].models[0], quick({{"sde.size", 41}})), "sde.otr");
  EXPECT_EQ(row.facts["size"], 40);
  EXPECT_EQ(row.notes.at(0), reason(Code::odd_set_size, 41));
}

// 400 retain and 400 test rows, cut in two: targets are drawn from 200 of each. A size that was
// asked for is kept up to 200; without one a set holds at most half of the 200.
TEST(SdeFamily, F1IsAtTheSizeThatWasAskedFor) {
  const evidence::Evidence evidence = known_evidence();
  const evidence::Model& model = evidence.groups[1].models[0];
  const auto f1 = [&](const Json& options) {
    return find(sde_of(evidence, model, quick(options)), "sde.f1.control");
  };
  const Row asked = f1({{"sde.size", 200}});
  EXPECT_EQ(asked.facts["size"], 200);
  EXPECT_TRUE(asked.notes.empty());
  EXPECT_EQ(
      find(sde_of(evidence, model, quick({{"sde.size", 200}})), "sde.f1.retrained").facts["size"],
      200);
  const Row more = f1({{"sde.size", 300}});
  EXPECT_EQ(more.facts["size"], 200);
  ASSERT_EQ(more.notes.size(), 1U);
  EXPECT_EQ(more.notes[0], reason(Code::sets_smaller, 200, 300, 400, 400));
  const Row unasked = f1(Json::object());  // half of 300 forget rows
  EXPECT_EQ(unasked.facts["size"], 100);
  ASSERT_EQ(unasked.notes.size(), 1U);
  EXPECT_EQ(unasked.notes[0], reason(Code::sets_smaller, 100, 150, 400, 400));
}

TEST(SdeFamily, DivergenceIsAnOptionAndSetsHaveVerdicts) {
  const evidence::Evidence evidence = known_evidence();
  for (const char* divergence : {"jsd", "kl", "wasserstein"}) {
    const Json options = {{"sde.divergence", divergence}};
    const Row original =
        find(sde_of(evidence, evidence.groups[0].models[0], quick(options)), "sde.otr");
    const Row retrained =
        find(sde_of(evidence, evidence.groups[1].models[0], quick(options)), "sde.otr");
    EXPECT_LT(original.value, 0.2) << divergence;
    EXPECT_GT(retrained.value, 0.8) << divergence;
    EXPECT_EQ(original.settings.contains("divergence"), std::string(divergence) != "jsd");
    // The rate is the mean over sets of their shares: every pair that passed judges every set.
    const auto shares = retrained.facts["out_by_set"].get<std::vector<double>>();
    ASSERT_EQ(shares.size(), 20U);
    double sum = 0;
    for (const double share : shares) sum += share;
    EXPECT_NEAR(sum / 20, retrained.value, 1e-12);
  }
  EXPECT_THROW(
      sde_of(evidence, evidence.groups[0].models[0], quick({{"sde.divergence", "hellinger"}})),
      InputError);
}

// Retain is spread more than test, which every kernel sees; linear has no bandwidth to report.
TEST(SdeFamily, KernelIsAnOption) {
  const evidence::Evidence evidence = known_evidence();
  const evidence::Model& original = evidence.groups[0].models[0];
  for (const char* kernel : {"rbf", "laplace", "linear"}) {
    const Json options = {{"sde.kernel", kernel}};
    const Row kept = find(sde_of(evidence, original, quick(options)), "sde.otr");
    const Row gone =
        find(sde_of(evidence, evidence.groups[1].models[0], quick(options)), "sde.otr");
    EXPECT_LT(kept.value, 0.2) << kernel;
    EXPECT_GT(gone.value, 0.8) << kernel;
    EXPECT_EQ(kept.settings.contains("kernel"), std::string(kernel) != "rbf");
    EXPECT_EQ(kept.facts.contains("sigma"), std::string(kernel) != "linear");
    EXPECT_EQ(kept.facts.contains("kernel_mean"), std::string(kernel) != "linear");
  }
  EXPECT_THROW(sde_of(evidence, original, quick({{"sde.kernel", "cosine"}})), InputError);
  for (const Json& bandwidth : {Json{{"sde.sigma", "median"}}, Json{{"sde.bandwidths", 3}}}) {
    Json options = bandwidth;
    options["sde.kernel"] = "linear";
    EXPECT_THROW(sde_of(evidence, original, quick(options)), InputError);
  }
}

// Halves of 75 rows through 50 of them: the answer that is known by construction stays, and every
// row says how it was seen.
TEST(SdeFamily, LandmarksStandForASet) {
  const evidence::Evidence evidence = known_evidence();
  const Json options = {{"sde.landmarks", 50}};
  const Measurements original = sde_of(evidence, evidence.groups[0].models[0], quick(options));
  const Measurements retrained = sde_of(evidence, evidence.groups[1].models[0], quick(options));
  EXPECT_LT(find(original, "sde.otr").value, 0.05);
  EXPECT_GT(find(retrained, "sde.otr").value, 0.95);
  for (const Row& row : original.rows) EXPECT_EQ(row.settings["landmarks"], 50) << row.metric;
  const Row& h = find(original, "sde.h.forget");
  const double exact = find(sde_of(evidence, evidence.groups[0].models[0], quick()), "sde.h.forget")
                           .facts["exact_mean"];
  EXPECT_LE(h.facts["exact_mean"].get<double>(), exact);
  EXPECT_GE(h.facts["exact_mean"].get<double>() + h.facts["gap"].get<double>(), exact);
  EXPECT_THROW(sde_of(evidence, evidence.groups[0].models[0],
                      quick({{"sde.landmarks", 50}, {"sde.kernel", "linear"}})),
               InputError);
}

// Distances a thousand times as long: at the square root of the dimension no two rows are alike.
TEST(SdeFamily, ASeparatingBandwidthFollowsTheScale) {
  evidence::Evidence evidence = known_evidence();
  for (evidence::Group& group : evidence.groups) {
    for (auto& [split, array] : group.models[0].activations["penultimate"]) {
      std::vector<double> values = array.doubles();
      for (double& value : values) value *= 1000;
      array = evidence::Array::from_doubles(std::move(values), array.shape());
    }
  }
  const auto rate = [&](std::size_t group, const char* sigma) {
    return find(sde_of(evidence, evidence.groups[group].models[0], quick({{"sde.sigma", sigma}})),
                "sde.otr");
  };
  EXPECT_NE(rate(0, "sqrt_dim").status, Status::ok);
  EXPECT_LT(rate(0, "separating").value, 0.05);
  EXPECT_GT(rate(1, "separating").value, 0.95);
  EXPECT_EQ(rate(1, "separating").settings["rule"], "separating");
  EXPECT_GT(rate(1, "separating").facts["sigma"].get<double>(), 100);
}

// Reference sets that somebody else prepared: the same rows under other names give the same values,
// swapped ones fail their precondition, and a name that is not there is named.
TEST(SdeFamily, ReferenceSetsMayBeSupplied) {
  evidence::Evidence evidence = known_evidence();
  auto& splits = evidence.groups[1].models[0].activations["penultimate"];
  splits["archived"] = splits["retain"];
  splits["strangers"] = splits["test"];
  const evidence::Model& model = evidence.groups[1].models[0];
  const Measurements usual = sde_of(evidence, model, quick());
  const Measurements supplied =
      sde_of(evidence, model, quick({{"sde.in", "archived"}, {"sde.out", "strangers"}}));
  ASSERT_EQ(usual.rows.size(), supplied.rows.size());
  for (std::size_t row = 0; row < usual.rows.size(); ++row) {
    EXPECT_EQ(usual.rows[row].value, supplied.rows[row].value) << usual.rows[row].metric;
    EXPECT_EQ(supplied.rows[row].settings["references"], "archived, strangers");
  }
  const Row swapped =
      find(sde_of(evidence, model, quick({{"sde.in", "strangers"}, {"sde.out", "archived"}})),
           "sde.otr");
  EXPECT_EQ(swapped.status, Status::undefined);
  EXPECT_EQ(swapped.facts["passed"], 0);
  const Row missing = find(sde_of(evidence, model, quick({{"sde.out", "nowhere"}})), "sde.otr");
  EXPECT_EQ(missing.status, Status::skipped);
  EXPECT_EQ(missing.notes.at(0).code, Code::needs_activations);
  for (const char* wrong : {"forget", "retain", ""}) {
    EXPECT_THROW(sde_of(evidence, model, quick({{"sde.out", wrong}})), InputError) << wrong;
  }
}

TEST(SdeFamily, FewRows) {
  // Half of 6 rows is 3: no halves of 2. 8 rows are enough.
  const evidence::Evidence few = known_evidence("penultimate", 6);
  const Row row = find(sde_of(few, few.groups[1].models[0], quick()), "sde.otr");
  EXPECT_EQ(row.status, Status::undefined);
  EXPECT_EQ(row.notes.at(0), reason(Code::few_examples_for_sets, 3, 6, 400, 400));
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
  EXPECT_EQ(row.notes.at(0), reason(Code::layer_not_finite, "penultimate", "retain", 37));
}

TEST(SdeFamily, RowsWithForgottenIdsAreNoReferences) {
  evidence::Evidence evidence = known_evidence();
  for (const auto& [split, rows] : {std::pair("forget", 300), std::pair("retain", 400)}) {
    for (int row = 0; row < rows; ++row) {
      evidence.ids[split].push_back(std::to_string(row + (split[0] == 'r' ? 290 : 0)));
    }
  }
  const Row row = find(sde_of(evidence, evidence.groups[1].models[0], quick()), "sde.otr");
  EXPECT_EQ(row.notes.at(0), reason(Code::examples_in_other_splits, 10, "retain",
                                    std::vector<std::string>{"forget"}));
}

TEST(SdeFamily, SameBytesForOneAndTwoThreads) {
  const evidence::Evidence evidence = known_evidence();
  const evidence::Model& model = evidence.groups[1].models[0];
  const Measurements one =
      Context({.threads = 1}).run([&] { return sde_of(evidence, model, quick()); });
  const Measurements two =
      Context({.threads = 2}).run([&] { return sde_of(evidence, model, quick()); });
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
  Progress progress(ProgressStyle::quiet, "sde", comparisons.size());
  const Measure measure = sde_family().prepare({evidence, request, comparisons, &progress});
  for (const Comparison& comparison : comparisons) {
    const Measurements together = measure(comparison, progress);
    const Measurements alone = measured(sde_family(), comparison, request);
    ASSERT_EQ(together.rows.size(), alone.rows.size());
    for (std::size_t row = 0; row < alone.rows.size(); ++row) {
      const Row &left = together.rows[row], &right = alone.rows[row];
      EXPECT_EQ(left.metric, right.metric);
      EXPECT_EQ(left.notes, right.notes);
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
