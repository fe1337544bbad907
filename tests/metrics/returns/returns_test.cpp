// Returns by hand and against plain numpy (tests/reference/returns).
#include "vestige/metrics/returns/returns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "vestige/base/file.h"
#include "vestige/base/json.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

/// One model: `spread` apart on every second row, so that there is an error over rows.
SignalRows one_model(double target, double unseen, double spread = 0.01) {
  SignalRows rows{Matrix(1, 10), Matrix(1, 10)};
  for (std::size_t row = 0; row < 10; ++row) {
    const double off = row % 2 == 0 ? spread : -spread;
    rows.target(0, row) = target + off;
    rows.unseen(0, row) = unseen + off;
  }
  return rows;
}

ProbedSide moved_model(double target, double unseen, double target_after, double unseen_after) {
  const auto strata = std::make_shared<Strata>(one_stratum(10, 10));
  return probed_side(one_model(target, unseen), one_model(target_after, unseen_after, 0.02),
                     strata);
}

// Gaps: the method goes from 0 to 0.75 - 0.55 = 0.20, retrained from 0 to 0.55 - 0.50 = 0.05. Of a
// room of 0.4 the method knows (0.20 - 0.05) / 0.4 more, all of it gained by the probe.
TEST(Returns, WhatTheProbeBringsBeyondRetrained) {
  const Return seen =
      returned(moved_model(0.5, 0.5, 0.75, 0.55), moved_model(0.5, 0.5, 0.55, 0.50), 0.4);
  EXPECT_NEAR(seen.after.value, 0.375, 1e-12);
  EXPECT_NEAR(seen.gain.value, 0.375, 1e-12);
  EXPECT_NEAR(seen.share.value, 0.375, 1e-12);
  EXPECT_NEAR(seen.method, 0.5, 1e-12);
  EXPECT_NEAR(seen.retrained, 0.125, 1e-12);
}

// A method that avoids the rows (gap -0.4) and is brought back to where retrained is has gained
// (0.4 + 0.05 - 0.05) / 0.4 = 1, and nothing returned.
TEST(Returns, RecoveryFromOverForgettingIsNoReturn) {
  const Return seen =
      returned(moved_model(0.1, 0.5, 0.55, 0.50), moved_model(0.5, 0.5, 0.55, 0.50), 0.4);
  EXPECT_NEAR(seen.gain.value, 1, 1e-12);
  EXPECT_NEAR(seen.after.value, 0, 1e-12);
  EXPECT_NEAR(seen.share.value, 0, 1e-12);
}

// A model that never forgot has all of it after the probe too, but the probe brought nothing.
TEST(Returns, WhatWasNeverGoneDoesNotReturn) {
  const Return seen =
      returned(moved_model(0.9, 0.5, 0.9, 0.5), moved_model(0.5, 0.5, 0.5, 0.5), 0.4);
  EXPECT_NEAR(seen.after.value, 1, 1e-12);
  EXPECT_NEAR(seen.gain.value, 0, 1e-12);
  EXPECT_NEAR(seen.share.value, 0, 1e-12);
}

TEST(Returns, IsUndefinedWithoutRoom) {
  const ProbedSide side = moved_model(0.5, 0.5, 0.5, 0.5);
  EXPECT_TRUE(std::isnan(returned(side, side, 0).share.value));
  EXPECT_TRUE(std::isnan(returned(side, side, kUndefined).share.value));
}

SignalRows rows_from(const Json& pair) {
  const auto target = pair[0].get<std::vector<double>>();
  const auto unseen = pair[1].get<std::vector<double>>();
  SignalRows rows{Matrix(1, target.size()), Matrix(1, unseen.size())};
  std::copy(target.begin(), target.end(), rows.target.row(0).begin());
  std::copy(unseen.begin(), unseen.end(), rows.unseen.row(0).begin());
  return rows;
}

TEST(Returns, IntervalsAgreeWithNumpy) {
  const Json values =
      Json::parse(read_file(VESTIGE_SOURCE_DIR "/tests/reference/returns/values.json"));
  const auto strata = std::make_shared<Strata>(one_stratum(12, 12));
  const auto side = [&](const char* name) {
    return probed_side(rows_from(values[name]["before"]), rows_from(values[name]["after"]), strata);
  };
  const Return seen = returned(side("method"), side("retrained"), values["room"].get<double>());
  const auto expect = [](const Estimate& ours, const Json& theirs) {
    const double estimate = theirs["estimate"].get<double>();
    const double half =
        t_half_width(theirs["error"].get<double>(), theirs["degrees"].get<double>());
    EXPECT_NEAR(ours.value, estimate, 1e-12);
    EXPECT_NEAR(ours.lower, estimate - half, 1e-9);
    EXPECT_NEAR(ours.upper, estimate + half, 1e-9);
  };
  expect(seen.after, values["after"]);
  expect(seen.gain, values["gain"]);
  EXPECT_EQ(seen.share.value, std::min(seen.after.value, seen.gain.value));
  EXPECT_EQ(seen.share.lower, std::min(seen.after.lower, seen.gain.lower));
}

TEST(Returns, StepsToReachLieOnStraightLines) {
  const std::vector<double> steps = {0, 1, 2, 4}, values = {0.5, 0.6, 0.8, 1.0};
  EXPECT_EQ(steps_to_reach(steps, values, 0.5), 0);
  EXPECT_NEAR(steps_to_reach(steps, values, 0.7), 1.5, 1e-12);
  EXPECT_NEAR(steps_to_reach(steps, values, 0.9), 3, 1e-12);
  EXPECT_TRUE(std::isnan(steps_to_reach(steps, values, 1.1)));
}

Matrix same_for_all_rows(const std::vector<double>& curve, std::size_t rows) {
  Matrix values(curve.size(), rows);
  for (std::size_t point = 0; point < curve.size(); ++point) {
    for (double& value : values.row(point)) value = curve[point];
  }
  return values;
}

// The original is right everywhere; within 20 % is 0.8. The method passes it half-way between 1 and
// 2 steps, retrained after three quarters of that stretch: 1.5 / 1.75. Rows are all alike, so every
// resample gives the same.
TEST(Returns, AnamnesisIndexIsTheRatioOfRelearnTimes) {
  Relearning relearning{.steps = {0, 1, 2},
                        .method = same_for_all_rows({0.5, 0.7, 0.9}, 6),
                        .retrained = same_for_all_rows({0.1, 0.5, 0.9}, 6),
                        .original = std::vector<double>(6, 1)};
  const Anamnesis seen = anamnesis(relearning, 0.2, {.kind = BootstrapKind::percentile});
  EXPECT_NEAR(seen.method, 1.5, 1e-12);
  EXPECT_NEAR(seen.retrained, 1.75, 1e-12);
  EXPECT_NEAR(seen.index.value, 1.5 / 1.75, 1e-12);
  EXPECT_NEAR(seen.index.lower, 1.5 / 1.75, 1e-12);
  EXPECT_NEAR(seen.index.upper, 1.5 / 1.75, 1e-12);
  relearning.method = same_for_all_rows({0.9, 0.9, 0.9}, 6);  // it never forgot them
  EXPECT_EQ(anamnesis(relearning, 0.2, {.kind = BootstrapKind::percentile}).index.value, 0);
  relearning.retrained = same_for_all_rows({0.9, 0.9, 0.9}, 6);
  EXPECT_TRUE(std::isnan(anamnesis(relearning, 0.2, {}).index.value));
  relearning.retrained = same_for_all_rows({0.1, 0.2, 0.3}, 6);
  EXPECT_TRUE(std::isnan(anamnesis(relearning, 0.2, {}).retrained));
}

}  // namespace
}  // namespace vestige::metrics
