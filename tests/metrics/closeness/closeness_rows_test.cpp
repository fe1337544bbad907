// All pairs at once against closeness() of probabilities, pair by pair.
#include "vestige/metrics/closeness/closeness_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

using evidence::Array;
using evidence::OutputKind;

/// Four models on 600 rows (three blocks), of which the last repeats the first on every other row.
std::vector<Array> four_models(std::size_t classes, OutputKind kind) {
  constexpr std::size_t kRows = 600;
  std::vector<Array> models;
  std::vector<double> first;
  for (std::size_t model = 0; model < 4; ++model) {
    Stream stream(1, "closeness_rows_test", model);
    std::vector<double> values(kRows * classes);
    for (double& value : values) value = 3 * stream.normal();
    for (std::size_t i = 0; model == 3 && i < values.size(); ++i) {
      if (i / classes % 2 == 0) values[i] = first[i];
    }
    if (model == 0) first = values;
    const Array logits = Array::from_doubles(std::move(values), {kRows, classes});
    const Matrix shown = kind == OutputKind::logits ? evidence::matrix(logits)
                         : kind == OutputKind::probabilities
                             ? evidence::probabilities(logits, OutputKind::logits)
                             : evidence::log_probabilities(logits, OutputKind::logits);
    models.push_back(
        Array::from_doubles({shown.values().begin(), shown.values().end()}, {kRows, classes}));
  }
  return models;
}

void expect_near(const std::vector<double>& seen, const std::vector<double>& expected) {
  ASSERT_EQ(seen.size(), expected.size());
  for (std::size_t row = 0; row < seen.size(); ++row) {
    ASSERT_NEAR(seen[row], expected[row], 1e-12) << "row " << row;
  }
}

TEST(ClosenessRows, MeansOfThePlainPairs) {
  for (const OutputKind kind :
       {OutputKind::logits, OutputKind::probabilities, OutputKind::log_probabilities}) {
    for (const std::size_t classes : {2UL, 10UL, 101UL}) {
      const std::vector<Array> models = four_models(classes, kind);
      const std::vector<const Array*> outputs = {&models[0], &models[1], &models[2], &models[3]};
      const std::vector<Neighbours> wanted = {{0, {1, 2, 3}}, {1, {0}}, {3, {0, 2}}};
      const std::vector<Closeness> seen = mean_closeness(outputs, kind, wanted);
      ASSERT_EQ(seen.size(), wanted.size());
      for (std::size_t index = 0; index < wanted.size(); ++index) {
        Closeness mean;
        for (const std::size_t reference : wanted[index].references) {
          const Closeness one =
              closeness(evidence::probabilities(models[wanted[index].model], kind),
                        evidence::probabilities(models[reference], kind));
          const double share = 1 / static_cast<double>(wanted[index].references.size());
          for (auto terms : {&Closeness::agreement, &Closeness::distance, &Closeness::divergence}) {
            (mean.*terms).resize((one.*terms).size());
            for (std::size_t row = 0; row < (one.*terms).size(); ++row) {
              (mean.*terms)[row] += (one.*terms)[row] * share;
            }
          }
        }
        expect_near(seen[index].agreement, mean.agreement);
        expect_near(seen[index].distance, mean.distance);
        expect_near(seen[index].divergence, mean.divergence);
      }
    }
  }
}

TEST(ClosenessRows, EqualRowsAreAtDistanceZero) {
  const std::vector<Array> models = four_models(10, OutputKind::logits);
  const std::vector<const Array*> outputs = {&models[0], &models[3]};
  const std::vector<Neighbours> wanted = {{0, {1}}};
  const Closeness seen = mean_closeness(outputs, OutputKind::logits, wanted).front();
  for (std::size_t row = 0; row < seen.distance.size(); ++row) {
    EXPECT_EQ(seen.distance[row] == 0, row % 2 == 0);
    EXPECT_EQ(seen.divergence[row] == 0, row % 2 == 0);
  }
}

TEST(ClosenessRows, OtherShapesAreRefused) {
  const Array ten = Array::from_doubles(std::vector<double>(20), {2, 10});
  const Array five = Array::from_doubles(std::vector<double>(10), {2, 5});
  const std::vector<const Array*> outputs = {&ten, &five};
  const std::vector<Neighbours> wanted = {{0, {1}}};
  EXPECT_THROW(mean_closeness(outputs, OutputKind::logits, wanted), InputError);
}

}  // namespace
}  // namespace vestige::metrics
