// The protocol on pools whose leakage is known.
#include "vestige/metrics/mia_protocol/mia_protocol.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

struct Pool {
  Matrix probabilities, population;
  std::vector<std::uint8_t> keep;
};

/// Each row has its own difficulty; members gain `leak` in logit-scaled confidence.
Pool make_pool(std::size_t models, std::size_t rows, double leak) {
  Stream stream(8, "test.protocol");
  Pool pool{Matrix(models, rows), Matrix(models, 200), {}};
  pool.keep.assign(models * rows, 0);
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  for (std::size_t row = 0; row < rows; ++row) {
    const double easy = 2 * stream.normal();
    for (const std::size_t model : stream.sample(models, models / 2)) {
      pool.keep[model * rows + row] = 1;
    }
    for (std::size_t model = 0; model < models; ++model) {
      const double gain = pool.keep[model * rows + row] != 0 ? leak : 0;
      pool.probabilities(model, row) = sigmoid(easy + gain + 0.5 * stream.normal());
    }
  }
  for (std::size_t row = 0; row < 200; ++row) {
    const double easy = 2 * stream.normal();
    for (std::size_t model = 0; model < models; ++model) {
      pool.population(model, row) = sigmoid(easy + 0.5 * stream.normal());
    }
  }
  return pool;
}

TEST(MiaProtocol, ShadowsAreOnTheirSidesAndNeverTheTarget) {
  const Pool pool = make_pool(8, 50, 1);
  const ShadowChoice choice = choose_shadows(pool.keep, 50, 3, 4, 1);
  ASSERT_EQ(choice.in.size(), 50U);
  for (std::size_t row = 0; row < 50; ++row) {
    EXPECT_EQ(choice.in[row].size(), 2U);
    EXPECT_EQ(choice.out[row].size(), 2U);
    for (const std::size_t model : choice.in[row]) {
      EXPECT_NE(model, 3U);
      EXPECT_EQ(pool.keep[model * 50 + row], 1);
    }
    for (const std::size_t model : choice.out[row]) {
      EXPECT_NE(model, 3U);
      EXPECT_EQ(pool.keep[model * 50 + row], 0);
    }
  }
  EXPECT_THROW(choose_shadows(pool.keep, 50, 3, 10, 1), InputError);
  EXPECT_THROW(choose_shadows(pool.keep, 50, 3, 3, 1), InputError);
}

TEST(MiaProtocol, LiraHasADeviationPerRowFrom64ModelsOn) {
  // Members and others differ in spread alone, 0.2 against 2 around the same level: the AUC of a
  // likelihood ratio that knows it is P(|member| < |other|) = 2 / pi * atan(10) = 0.937.
  const std::size_t models = 132, rows = 400;
  Stream stream(9, "test.protocol.spread");
  Pool pool{Matrix(models, rows), Matrix(), std::vector<std::uint8_t>(models * rows, 0)};
  for (std::size_t row = 0; row < rows; ++row) {
    for (const std::size_t model : stream.sample(models, models / 2)) {
      pool.keep[model * rows + row] = 1;
    }
    for (std::size_t model = 0; model < models; ++model) {
      const double spread = pool.keep[model * rows + row] != 0 ? 0.2 : 2;
      pool.probabilities(model, row) = 1 / (1 + std::exp(-spread * stream.normal()));
    }
  }
  const auto auc = [&](std::size_t shadows) {
    return mia_protocol({pool.probabilities, pool.keep, pool.population},
                        {.shadows = shadows, .targets = 2})
        .lira.auc;
  };
  EXPECT_NEAR(auc(128), 0.937, 0.04);  // 64 on each side
  // With one deviation for all rows only the noise of the medians is left: 400 rows, error 0.02.
  EXPECT_NEAR(auc(126), 0.5, 0.08);
}

TEST(MiaProtocol, LeakageIsSeenAndItsAbsenceToo) {
  const Pool leaky = make_pool(8, 300, 2);
  const MiaProtocol found = mia_protocol({leaky.probabilities, leaky.keep, leaky.population},
                                         {.shadows = 4, .targets = 4});
  const Pool tight = make_pool(8, 300, 0);
  const MiaProtocol nothing = mia_protocol({tight.probabilities, tight.keep, tight.population},
                                           {.shadows = 4, .targets = 4});
  // Members are 2 = 4 noise deviations up; an attack that knows each row's level sees nearly all.
  for (const ProtocolScore* score : {&found.iam, &found.lira, &found.rmia}) {
    EXPECT_GT(score->auc, 0.9);
    EXPECT_EQ(score->auc_of_target.size(), 4U);
  }
  // 1,200 attacked rows: the AUC's standard error is about 1 / sqrt(12 * 600) * ... = 0.017.
  for (const ProtocolScore* score : {&nothing.iam, &nothing.lira, &nothing.rmia}) {
    EXPECT_NEAR(score->auc, 0.5, 0.07);
  }
  EXPECT_TRUE(std::isnan(found.iam.tpr_at_1e4));  // 150 non-members cannot show 0.01 %
  EXPECT_FALSE(std::isnan(found.iam.tpr_at_zero));
}

TEST(MiaProtocol, WithoutPopulationThereIsNoRmia) {
  const Pool pool = make_pool(4, 60, 1);
  const MiaProtocol result = mia_protocol({pool.probabilities, pool.keep, {}});
  EXPECT_TRUE(std::isnan(result.rmia.auc));
  EXPECT_FALSE(std::isnan(result.iam.auc));
  EXPECT_THROW(mia_protocol({pool.probabilities, {}, {}}), InputError);
}

}  // namespace
}  // namespace vestige::metrics
