// SMI against numpy, and mixtures whose share is known.
#include "vestige/metrics/smi/smi.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/metrics/smi/smi_oracle.h"
#include "tests/metrics/support/peer_values.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

TEST(Smi, NumpyLoops) {
  const PeerValues values("smi");
  const Smi seen = smi(values.matrix("forget"), values.matrix("members"), values.matrix("others"),
                       values.number("sigma"));
  EXPECT_NEAR(seen.share.value, values.number("share"), 1e-12);
  EXPECT_NEAR(seen.distance, values.number("distance"), 1e-12);
  EXPECT_LT(seen.share.lower, seen.share.value);
  EXPECT_GT(seen.share.upper, seen.share.value);
}

/// `out` of `rows` rows are drawn around 2, the others around 0.
Matrix mixture(std::size_t rows, std::size_t out, std::uint64_t index) {
  Stream stream(4, "smi_test", index);
  Matrix sample(rows, 1);
  for (std::size_t i = 0; i < rows; ++i) sample(i, 0) = stream.normal() + (i < out ? 2 : 0);
  return sample;
}

// The share is 0 for members, 1 for non-members and 0.3 for 30 % of them; each within its range.
TEST(Smi, FindsTheShareOfAMixture) {
  const Matrix members = mixture(400, 0, 0), others = mixture(400, 400, 1);
  for (const double truth : {0.0, 0.3, 1.0}) {
    const auto out = static_cast<std::size_t>(truth * 400);
    const Smi seen = smi(mixture(400, out, 2 + out), members, others, 1);
    EXPECT_NEAR(seen.share.value, truth, 0.1);
    EXPECT_LT(seen.share.lower, truth);
    EXPECT_GT(seen.share.upper, truth);
  }
}

// The bootstrap by weights on one kernel matrix is the bootstrap by rows.
TEST(Smi, AgreesWithItsPlainTwin) {
  const Matrix forget = mixture(30, 12, 5), members = mixture(25, 0, 6),
               others = mixture(20, 20, 7);
  const SmiOptions options{.replicates = 20, .seed = 3};
  const Estimate seen = smi(forget, members, others, 1, options).share;
  const Estimate plain = plain_smi(forget, members, others, 1, options);
  EXPECT_NEAR(seen.value, plain.value, 1e-12);
  EXPECT_NEAR(seen.lower, plain.lower, 1e-12);
  EXPECT_NEAR(seen.upper, plain.upper, 1e-12);
}

TEST(Smi, UndefinedAndWrong) {
  const Matrix same(6, 1);
  const Smi flat = smi(same, same, same, 1);
  EXPECT_TRUE(std::isnan(flat.share.value)) << "members and non-members coincide";
  EXPECT_TRUE(std::isnan(smi(Matrix(1, 1), same, same, 1).share.value));
  EXPECT_THROW(smi(same, same, Matrix(6, 2), 1), InputError);
  EXPECT_THROW(smi(same, same, same, 0), InputError);
}

}  // namespace
}  // namespace vestige::metrics
