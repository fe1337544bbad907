// CKA and probes against numpy, and properties: rotations, constants, layers that forgot nothing.
#include "vestige/metrics/representation/representation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/metrics/representation/representation_oracle.h"
#include "tests/metrics/support/measured.h"
#include "tests/metrics/support/peer_values.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/representation/representation_family.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

TEST(Representation, CkaByGramMatrices) {
  const PeerValues values("cka");
  const Matrix x = values.matrix("x"), y = values.matrix("y"), wide = values.matrix("wide");
  EXPECT_NEAR(linear_cka(x, y), values.number("xy"), 1e-12);
  EXPECT_NEAR(linear_cka(x, wide), values.number("x_wide"), 1e-12);
  EXPECT_NEAR(linear_cka(wide, wide), 1, 1e-12);
}

// A rotation by 0.3, a scaling by 7 and a shift leave CKA at 1.
TEST(Representation, CkaIgnoresRotationAndScale) {
  Stream stream(1, "representation_test");
  Matrix x(30, 2), y(30, 2), constant(30, 2);
  for (double& value : x.values()) value = stream.normal();
  for (std::size_t i = 0; i < 30; ++i) {
    y(i, 0) = 7 * (std::cos(0.3) * x(i, 0) - std::sin(0.3) * x(i, 1)) + 2;
    y(i, 1) = 7 * (std::sin(0.3) * x(i, 0) + std::cos(0.3) * x(i, 1)) - 5;
    constant(i, 0) = constant(i, 1) = 0.1;
  }
  EXPECT_NEAR(linear_cka(x, y), 1, 1e-12);
  EXPECT_TRUE(std::isnan(linear_cka(x, constant)));
  EXPECT_TRUE(std::isnan(linear_cka({x.row(0).data(), 1, 2}, {y.row(0).data(), 1, 2})));
  EXPECT_THROW(linear_cka(x, Matrix(29, 2)), InputError);
}

TEST(Representation, ProbesByNumpy) {
  const PeerValues values("probes");
  const Matrix rows = values.matrix("rows"), asked = values.matrix("asked");
  const auto labels = values.integers("labels"), asked_labels = values.integers("asked_labels");
  const LabelledActivations fitted{rows, labels}, queries{asked, asked_labels};
  values.check("neighbours", nearest_neighbours(fitted, queries, 7));
  values.check("linear", linear_probe(fitted, queries));
  // One fit for several groups: the fitted rows themselves, and the same queries.
  const LabelledActivations groups[] = {fitted, queries};
  values.check("linear", linear_probe(fitted, groups).at(1));
}

// More columns than rows take the other path of CKA; more queries than one thread takes at once.
TEST(Representation, AgreesWithPlainTwins) {
  for (const std::size_t columns : {std::size_t{7}, std::size_t{60}}) {
    Stream stream(2, "representation_test.plain", columns);
    Matrix x(40, columns), y(40, columns);
    std::vector<std::int64_t> labels;
    for (double& value : x.values()) value = stream.normal();
    for (double& value : y.values()) value = stream.normal();
    for (std::size_t i = 0; i < 40; ++i) labels.push_back(static_cast<std::int64_t>(i % 3));
    EXPECT_NEAR(linear_cka(x, y), plain_cka(x, y), 1e-12) << columns;
    EXPECT_EQ(nearest_neighbours({x, labels}, {y, labels}, 5),
              plain_neighbours({x, labels}, {y, labels}, 5))
        << columns;
  }
}

// By hand: at 0.4 the nearest of 0, 1, 2 are 0 and 1; with votes of one each class 0 wins.
TEST(Representation, TiesGoToTheLowestClass) {
  const double rows[] = {0, 1, 2}, asked[] = {0.4};
  const std::vector<std::int64_t> labels = {1, 0, 1}, zero = {0}, one = {1};
  const LabelledActivations fitted{{rows, 3, 1}, labels};
  EXPECT_EQ(nearest_neighbours(fitted, {{asked, 1, 1}, zero}, 2), std::vector<double>{1});
  EXPECT_EQ(nearest_neighbours(fitted, {{asked, 1, 1}, one}, 1), std::vector<double>{1});
  EXPECT_EQ(nearest_neighbours(fitted, {{asked, 1, 1}, one}, 99), std::vector<double>{1});
  EXPECT_THROW(nearest_neighbours({{rows, 0, 1}, {}}, {{asked, 1, 1}, one}), InputError);
  const std::int64_t negative[] = {-1};
  EXPECT_THROW(linear_probe({{rows, 1, 1}, negative}, {{asked, 1, 1}, one}), InputError);
  EXPECT_THROW(linear_probe(fitted, {{asked, 1, 1}, one}, 0), InputError);
}

/// Activations with the class written into them, and a last layer that denies it: what a method
/// that changes only the last layer leaves.
TEST(RepresentationFamily, ALayerThatForgotNothingIsFoundOut) {
  evidence::Evidence evidence;
  evidence.classes = 2;
  const auto model_of = [&](const std::string& role, const std::string& method, double told) {
    evidence::Model model;
    model.role = role;
    model.method = method;
    model.name = "0";
    Stream stream(5, "representation_test." + role);
    for (const char* split : {"forget", "retain", "test"}) {
      std::vector<double> values;
      std::vector<std::int64_t> labels;
      for (std::int64_t row = 0; row < 60; ++row) {
        // Class 1 is forgotten as a whole.
        const std::int64_t label = split[0] == 'f' ? 1 : split[0] == 'r' ? 0 : row % 2;
        labels.push_back(label);
        for (int column = 0; column < 3; ++column) {
          values.push_back(stream.normal() + (label == 1 ? told : 0));
        }
      }
      model.activations["penultimate"][split] =
          evidence::Array::from_doubles(std::move(values), {60, 3});
      evidence.labels[split] = labels;
    }
    return model;
  };
  evidence.groups.push_back({"original", "", {model_of("original", "", 5)}});
  evidence.groups.push_back({"retrained", "", {model_of("retrained", "", 0)}});
  evidence.groups.push_back({"unlearned", "head", {model_of("original", "head", 5)}});
  Comparison comparison;
  comparison.evidence = &evidence;
  const evidence::Model* head = &evidence.groups[2].models[0];
  comparison.candidate = {head};
  comparison.original = {&evidence.groups[0].models[0]};
  comparison.retrained = {&evidence.groups[1].models[0]};
  const Measurements seen = measured(representation_family(), comparison);
  std::map<std::string, double> value;
  for (const Row& row : seen.rows) {
    value[row.metric] = row.value;
    EXPECT_EQ(row.settings.at("layer"), "penultimate");
  }
  EXPECT_GT(value.at("representation.neighbours"), 0.95);
  EXPECT_GT(value.at("representation.linear_probe"), 0.95);
  EXPECT_NEAR(value.at("representation.cka.original"), 1, 1e-12);
  EXPECT_LT(value.at("representation.cka.retrained"), 0.5);
  // Asked of the retrained model, the same probes do not know the class: 30 of 90 fitted rows are
  // of it and look like the others.
  comparison.candidate = comparison.retrained;
  comparison.retrained.clear();
  for (const Row& row : measured(representation_family(), comparison).rows) {
    if (row.metric == "representation.linear_probe") {
      EXPECT_LT(row.value, 0.5);
    }
  }
}

}  // namespace
}  // namespace vestige::metrics
