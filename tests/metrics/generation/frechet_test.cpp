// The Frechet distance by hand in one dimension and where covariances commute, against numpy where
// they do not, and the rows of the family.
#include "vestige/metrics/generation/frechet.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/base/json.h"
#include "vestige/base/seed.h"
#include "vestige/evidence/formats/npy.h"
#include "vestige/evidence/reader.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/generation/generation_family.h"

namespace vestige::metrics {
namespace {

using testing::TemporaryFolder;

// Means 2 and 7, deviations 1 and 2: 25 + 1.
TEST(Frechet, OfTwoNormalsOnALine) {
  const double first[] = {1, 2, 3}, second[] = {5, 7, 9};
  EXPECT_NEAR(frechet_distance({first, 3, 1}, {second, 3, 1}), 26, 1e-12);
  EXPECT_NEAR(frechet_distance({first, 3, 1}, {first, 3, 1}), 0, 1e-12);
}

// Axes do not mix: every column counts by itself. Means (0, 0) and (3, 0); variances 2/3 of each
// column against 8/3 in the first: 9 + (sqrt(8/3) - sqrt(2/3))^2 = 9 + 2/3.
TEST(Frechet, AddsUpColumnsThatDoNotMix) {
  const double first[] = {1, 0, -1, 0, 0, 1, 0, -1};
  const double second[] = {5, 0, 1, 0, 3, 1, 3, -1};
  EXPECT_NEAR(frechet_distance({first, 4, 2}, {second, 4, 2}), 9 + 2.0 / 3, 1e-12);
}

// tests/reference/frechet/frechet.py: eigenvalues of the product itself, by numpy.
TEST(Frechet, AgreesWithNumpyWhereCovariancesDoNotCommute) {
  const Json reference = Json::parse(
      read_file(std::string(VESTIGE_SOURCE_DIR) + "/tests/reference/frechet/frechet.json"));
  const auto matrix = [&](const char* key) {
    const Json& rows = reference.at(key);
    Matrix result(rows.size(), rows[0].size());
    for (std::size_t row = 0; row < result.rows(); ++row) {
      for (std::size_t col = 0; col < result.cols(); ++col) result(row, col) = rows[row][col];
    }
    return result;
  };
  const double expected = reference.at("distance").get<double>();
  EXPECT_GT(expected, 1);
  EXPECT_NEAR(frechet_distance(matrix("first"), matrix("second")), expected, 1e-9 * expected);
  EXPECT_NEAR(frechet_distance(matrix("second"), matrix("first")), expected, 1e-9 * expected);
}

TEST(Frechet, NeedsTwoRows) {
  const double rows[] = {1, 2};
  EXPECT_TRUE(std::isnan(frechet_distance({rows, 1, 1}, {rows, 2, 1})));
}

/// Features of `count` rows around `centre`.
std::string features(std::size_t count, double centre) {
  Stream stream(3, "test features", static_cast<std::uint64_t>(centre));
  std::vector<double> values(2 * count);
  for (double& value : values) value = centre + stream.normal();
  return evidence::write_npy(evidence::Array::from_doubles(values, {count, 2}));
}

TEST(GenerationFamily, MeasuresModelsWithSamplesAndSaysWhatOthersLack) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& bytes) {
    std::filesystem::create_directories((folder / name).parent_path());
    write_file(folder / name, bytes);
  };
  write("original/0/activations/features/generated.npy", features(40, 5));
  write("original/0/activations/features/test.npy", features(60, 0));
  write("retrained/0/losses/forget.npy",
        evidence::write_npy(evidence::Array::from_doubles({1, 2}, {2})));
  const evidence::Evidence evidence = evidence::load(folder.path()).evidence;
  const Family family = generation_family();
  EXPECT_TRUE(family.support(evidence).supported);
  const Request request;
  const auto measure = family.prepare({evidence, request, {}});
  const auto row_of = [&](const char* role) {
    Comparison comparison;
    comparison.evidence = &evidence;
    comparison.candidate = {&evidence.find(role)->models.front()};
    comparison.subject = subject_of(*comparison.candidate.front());
    Progress progress(ProgressStyle::quiet, "test", 1);
    return measure(comparison, progress).rows.at(0);
  };
  const Row row = row_of("original");
  // Two columns, five apart each, of equal spread: about 50.
  EXPECT_NEAR(row.value, 50, 8);
  EXPECT_EQ(row.n, 40u);
  EXPECT_EQ(row.settings.at("samples"), 40);
  EXPECT_LT(row.facts.at("test_halves").get<double>(), 2);
  const Row without = row_of("retrained");
  EXPECT_EQ(without.status, Status::skipped);
  EXPECT_EQ(without.notes.at(0),
            reason(Code::needs_samples, "retrained/0/activations/features/{generated,test}.npy"));
}

}  // namespace
}  // namespace vestige::metrics
