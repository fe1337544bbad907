// The support vector machine against a problem solved by hand, its optimality conditions, and
// scikit-learn; Platt's sigmoid against its stationarity conditions.
#include "vestige/metrics/learn/svc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/metrics/conformal/conformal_cases.h"
#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

using vestige::testing::open_case;

Matrix column(const std::vector<double>& values) {
  Matrix result(values.size(), 1);
  std::copy(values.begin(), values.end(), result.values().begin());
  return result;
}

struct Sample {
  Matrix rows;
  std::vector<int> labels;
};

/// Two overlapping normal clouds, label 1 shifted by `shift` in every coordinate.
Sample overlapping(std::size_t count, std::size_t features, double shift, std::uint64_t seed) {
  Sample sample{Matrix(count, features), std::vector<int>(count)};
  Stream stream(seed, "svc_test");
  for (std::size_t i = 0; i < count; ++i) {
    sample.labels[i] = i % 3 == 0 ? 1 : 0;
    for (double& value : sample.rows.row(i)) value = stream.normal() + shift * sample.labels[i];
  }
  return sample;
}

// Two points at distance 1, gamma 1, k = exp(-1): the dual max 2a - a^2 (1 - k) has a = 1/(1-k)
// where that is below the cost, else the cost; by symmetry the bias is 0. LIBSVM caches the kernel
// as float (relative error 2^-24 = 6e-8), hence 1e-7.
TEST(Svc, SolvesTwoPointsByHand) {
  const Matrix rows = column({0, 1});
  const std::vector<int> labels = {0, 1};
  for (const double cost : {3.0, 1.0}) {
    const Svc machine = Svc::train(rows, labels, {.cost = cost, .tolerance = 1e-9});
    const double a = std::min(cost, 1 / (1 - std::exp(-1.0)));
    EXPECT_NEAR(machine.bias(), 0, 1e-9);
    EXPECT_NEAR(machine.dual()[0], -a, 1e-7);
    EXPECT_NEAR(machine.dual()[1], a, 1e-7);
    for (const double x : {-0.7, 0.2, 0.5, 0.9, 3.0}) {
      EXPECT_NEAR(machine.decision(std::vector<double>{x}),
                  a * (std::exp(-(x - 1) * (x - 1)) - std::exp(-x * x)), 1e-7);
    }
    EXPECT_EQ(machine.predict(column({0.4, 0.6})), (std::vector<int>{0, 1}));
  }
}

// Karush-Kuhn-Tucker: y f >= 1 where alpha = 0, y f = 1 where 0 < alpha < C, y f <= 1 where
// alpha = C, and sum alpha y = 0; each to the solver's tolerance.
TEST(Svc, MeetsTheOptimalityConditions) {
  const Sample sample = overlapping(240, 3, 0.8, 5);
  const double tolerance = 1e-5;
  const Svc machine = Svc::train(sample.rows, sample.labels, {.cost = 3, .tolerance = tolerance});
  EXPECT_DOUBLE_EQ(machine.gamma(), 1.0 / 3);
  const std::vector<double> dual = machine.dual();
  const std::vector<double> decisions = machine.decisions(sample.rows);
  double balance = 0;
  std::size_t free = 0, support = 0;
  for (std::size_t i = 0; i < dual.size(); ++i) {
    const double y = sample.labels[i] == 1 ? 1 : -1;
    const double alpha = dual[i] * y;
    const double margin = y * decisions[i];
    ASSERT_GE(alpha, 0);
    ASSERT_LE(alpha, 3 + 1e-12);
    if (alpha < 3) {
      EXPECT_GE(margin, 1 - tolerance) << i;
    }
    if (alpha > 0) {
      EXPECT_LE(margin, 1 + tolerance) << i;
      ++support;
    }
    free += alpha > 0 && alpha < 3 ? 1 : 0;
    balance += dual[i];
  }
  EXPECT_NEAR(balance, 0, 1e-9);
  EXPECT_GT(free, 0u);
  EXPECT_EQ(support, machine.support_vectors());
}

// The decision is the kernel expansion that the header states.
TEST(Svc, DecisionIsTheKernelExpansion) {
  const Sample sample = overlapping(60, 2, 1.0, 6);
  const Svc machine = Svc::train(sample.rows, sample.labels);
  const std::vector<double> dual = machine.dual();
  const std::vector<double> point = {0.3, -0.4};
  double value = machine.bias();
  for (std::size_t i = 0; i < dual.size(); ++i) {
    const double dx = sample.rows(i, 0) - point[0], dy = sample.rows(i, 1) - point[1];
    value += dual[i] * std::exp(-machine.gamma() * (dx * dx + dy * dy));
  }
  EXPECT_NEAR(machine.decision(point), value, 1e-12);
}

// scikit-learn's SVC(C=3, gamma="auto") on the same rows; both solvers stop at 1e-3, hence the
// case's own tolerance (see its note).
TEST(Svc, AgreesWithScikitLearn) {
  for (const std::string name : {"n80", "separable", "constant"}) {
    const auto reference = open_case("mia_classifiers/" + name);
    const Matrix retain = reference.input("p_retain").matrix();
    const Matrix test = reference.input("p_test").matrix();
    Matrix rows(retain.rows() + test.rows(), 1);
    // The case's feature is the entropy of each row for `svc`, the largest probability for
    // `svc_conf`; the latter needs no further convention.
    std::vector<int> labels(rows.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const bool member = i < retain.rows();
      const auto row = member ? retain.row(i) : test.row(i - retain.rows());
      rows(i, 0) = *std::max_element(row.begin(), row.end());
      labels[i] = member ? 1 : 0;
    }
    const Svc machine = Svc::train(rows, labels);
    const Matrix forget = reference.input("p_forget").matrix();
    const std::vector<double> expected = reference.expected("svc_conf_decision").values;
    double non_members = 0;
    for (std::size_t i = 0; i < forget.rows(); ++i) {
      const auto row = forget.row(i);
      const double value =
          machine.decision(std::vector<double>{*std::max_element(row.begin(), row.end())});
      EXPECT_NEAR(value, expected[i], 1e-3 + 1e-3 * std::abs(expected[i])) << name << " " << i;
      non_members += value > 0 ? 0 : 1;
    }
    EXPECT_NEAR(non_members / static_cast<double>(forget.rows()),
                reference.number("svc_conf_efficacy"), 1e-12)
        << name;
  }
}

TEST(Svc, RefusesBadInput) {
  const Matrix rows = column({0, 1, 2});
  EXPECT_THROW(Svc::train(rows, std::vector<int>{0, 1}), InputError);
  EXPECT_THROW(Svc::train(rows, std::vector<int>{1, 1, 1}), InputError);
  EXPECT_THROW(Svc::train(rows, std::vector<int>{0, 2, 1}), InputError);
  EXPECT_THROW(Svc::train(rows, std::vector<int>{0, 1, 1}, {.cost = 0}), InputError);
  EXPECT_THROW(Svc::train(column({0, NAN, 2}), std::vector<int>{0, 1, 1}), InputError);
  EXPECT_THROW(Svc::train(Matrix(2, 0), std::vector<int>{0, 1}), InputError);
  const Svc machine = Svc::train(rows, std::vector<int>{0, 1, 1});
  EXPECT_THROW(machine.decision(std::vector<double>{1, 2}), InputError);
  EXPECT_THROW(train_probability_svc(rows, std::vector<int>{0, 1, 1}, {}, 1), InputError);
}

// At the optimum both sums of the gradient vanish: sum f (t - p) = sum (t - p) = 0 with Platt's
// targets (n1 + 1)/(n1 + 2) and 1/(n0 + 2); the method stops at 1e-5 each.
TEST(Platt, IsStationary) {
  Stream stream(3, "platt_test");
  std::vector<double> decisions;
  std::vector<int> labels;
  for (int i = 0; i < 400; ++i) {
    decisions.push_back(stream.normal());
    labels.push_back(stream.uniform() < 1 / (1 + std::exp(-2 * decisions.back() + 0.5)) ? 1 : 0);
  }
  const PlattSigmoid fit = fit_platt(decisions, labels);
  const auto ones = static_cast<double>(std::count(labels.begin(), labels.end(), 1));
  double g1 = 0, g2 = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double target = labels[i] == 1 ? (ones + 1) / (ones + 2) : 1 / (400 - ones + 2);
    const double error = target - 1 / (1 + std::exp(fit.slope * decisions[i] + fit.offset));
    g1 += decisions[i] * error;
    g2 += error;
  }
  EXPECT_NEAR(g1, 0, 1e-5);
  EXPECT_NEAR(g2, 0, 1e-5);
  // Drawn with slope -2 and offset 0.5; 400 rows give a standard error near 0.25.
  EXPECT_NEAR(fit.slope, -2, 1);
  EXPECT_NEAR(fit.offset, 0.5, 1);
}

// Two groups with one decision value each: p equals the mean target of the group exactly.
// Three ones among four at f = 1 and one among four at f = -1: targets 5/6 and 1/6, so
// p(1) = (3 * 5/6 + 1/6) / 4 = 2/3 and p(-1) = 1/3: slope = -ln 2, offset = 0.
TEST(Platt, TwoGroupsByHand) {
  const std::vector<double> decisions = {1, 1, 1, 1, -1, -1, -1, -1};
  const std::vector<int> labels = {1, 1, 1, 0, 1, 0, 0, 0};
  const PlattSigmoid fit = fit_platt(decisions, labels);
  EXPECT_NEAR(fit.slope, -std::log(2.0), 1e-5);
  EXPECT_NEAR(fit.offset, 0, 1e-5);
  EXPECT_NEAR(fit.probability(1), 2.0 / 3, 1e-5);
  EXPECT_EQ(fit.probability(1e6), 1);
  EXPECT_EQ(fit.probability(-1e6), 0);
}

TEST(Platt, ConstantDecisionsGiveTheBaseRate) {
  // All decisions equal: p is the mean target, (2 * 3/4 + 4 * 1/6) / 6 = 13/36.
  const PlattSigmoid fit =
      fit_platt(std::vector<double>(6, 0.0), std::vector<int>{1, 1, 0, 0, 0, 0});
  EXPECT_NEAR(fit.probability(0), 13.0 / 36, 1e-5);
  EXPECT_THROW(fit_platt(std::vector<double>{1, 2}, std::vector<int>{1, 1}), InputError);
}

TEST(StratifiedFolds, AreEvenInEachClass) {
  std::vector<int> labels(103, 0);
  for (std::size_t i = 0; i < 31; ++i) labels[i * 3] = 1;
  const std::vector<std::size_t> folds = stratified_folds(labels, 5, 9);
  std::vector<std::size_t> ones(5), all(5);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ++all.at(folds[i]);
    ones[folds[i]] += labels[i] == 1 ? 1u : 0u;
  }
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_TRUE(ones[k] == 6 || ones[k] == 7) << ones[k];
    EXPECT_TRUE(all[k] == 20 || all[k] == 21) << all[k];
  }
  EXPECT_EQ(folds, stratified_folds(labels, 5, 9));
  EXPECT_NE(folds, stratified_folds(labels, 5, 10));
}

TEST(ProbabilitySvc, IsTheSameForOneAndManyThreads) {
  const Sample sample = overlapping(150, 1, 1.5, 8);
  const auto one = Context({.threads = 1}).run([&] {
    return train_probability_svc(sample.rows, sample.labels, {}, 4).probabilities(sample.rows);
  });
  const auto many = Context({.threads = 0}).run([&] {
    return train_probability_svc(sample.rows, sample.labels, {}, 4).probabilities(sample.rows);
  });
  EXPECT_EQ(one, many);
  const auto other =
      train_probability_svc(sample.rows, sample.labels, {}, 5).probabilities(sample.rows);
  EXPECT_NE(one, other);
}

}  // namespace
}  // namespace vestige::metrics
