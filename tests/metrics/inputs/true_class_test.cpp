// What rows say of their label, from one pass over the classes, against long double.
#include "vestige/metrics/inputs/true_class.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

using evidence::Array;
using evidence::OutputKind;

// p of the label from 1e-300 to 1 - 1e-300: the log-odds have all their digits, the log-probability
// those that x_y - ln(sum) leaves.
TEST(TrueClass, OddsKeepTheirDigits) {
  for (const double bump : {-700.0, -40.0, -3.0, 0.0, 3.0, 20.0, 40.0, 700.0}) {
    for (const std::size_t classes : {2UL, 3UL, 10UL, 1000UL}) {
      Stream stream(classes, "true_class_test");
      std::vector<double> row(classes);
      for (double& value : row) value = stream.normal();
      const std::size_t label = classes / 2;
      row[label] += bump;
      const std::vector<double> before = row;
      const RowOdds odds = row_odds(row, label);
      EXPECT_EQ(row, before);
      long double others = 0;
      for (std::size_t k = 0; k < classes; ++k) {
        if (k != label) others += std::exp(static_cast<long double>(row[k]));
      }
      const long double own = row[label];
      const auto exact = static_cast<double>(own - std::log(others));
      EXPECT_NEAR(odds.log_odds, exact, 4e-16 * (std::abs(row[label]) + std::abs(exact) + 4));
      const long double sum = others + std::exp(own);
      EXPECT_NEAR(odds.log_probability, static_cast<double>(own - std::log(sum)),
                  4e-16 * (std::abs(row[label]) + 4));
    }
  }
}

// Exported probabilities 3/4 and 1/4, and outputs as they stand.
TEST(TrueClass, ByHand) {
  const Array outputs = Array::from_doubles({0.75, 0.25, 0.75, 0.25}, {2, 2});
  const std::vector<std::int64_t> labels = {0, 1};
  const TrueClass known = true_class_numbers(Context(), outputs, OutputKind::probabilities, labels);
  EXPECT_NEAR(known.probability[0], 0.75, 1e-15);
  EXPECT_NEAR(known.log_probability[1], std::log(0.25), 1e-15);
  EXPECT_NEAR(known.scaled[0], std::log(3.0), 1e-15);
  EXPECT_NEAR(known.scaled[1], -std::log(3.0), 1e-15);
  EXPECT_EQ(known.output, (std::vector<double>{0.75, 0.25}));
}

// Where no other class is possible the odds are infinite and the loss is 0; where the label itself
// is not, both are -infinity.
TEST(TrueClass, ImpossibleClasses) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  std::vector<double> row = {0, kNever, kNever};
  EXPECT_EQ(row_odds(row, 0).log_probability, 0);
  EXPECT_EQ(row_odds(row, 0).log_odds, -kNever);
  EXPECT_EQ(row_odds(row, 1).log_probability, kNever);
  EXPECT_EQ(row_odds(row, 1).log_odds, kNever);
}

}  // namespace
}  // namespace vestige::metrics
