// The conformal family where whole classes, or parts of classes, were forgotten.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/metrics/conformal/made_evidence.h"
#include "tests/support.h"
#include "vestige/metrics/conformal/conformal.h"
#include "vestige/metrics/conformal/conformal_family.h"

namespace vestige::metrics {
namespace {

using namespace made_evidence;
using testing::holds;

// One class forgotten: q of that class from its own calibration rows.
TEST(ConformalFamily, ClassWiseForgetting) {
  Made made = random_forgetting();
  made.labels["forget"] = std::vector<std::int64_t>(30, 2);
  made.labels["retain"] = cycle(60, 2);
  const Evidence evidence = make(made);
  const Measurements measured = measure(evidence);
  EXPECT_EQ(find(measured, "conformal.cr.test"), nullptr);
  EXPECT_EQ(find(measured, "conformal.cr.forget", 0.05)->facts["forgotten"], "class");
  const Model& model = evidence.groups.back().models.front();
  const Matrix calibration =
      evidence::probabilities(model.outputs.at("calibration"), evidence.kind);
  std::vector<double> of_class, of_others;
  for (std::size_t i = 0; i < 100; ++i) {
    const auto label = static_cast<std::size_t>(made.labels["calibration"][i]);
    (label == 2 ? of_class : of_others).push_back(1 - calibration(i, label));
  }
  const double q_forget = conformal_quantile(of_class, 0.05);
  EXPECT_EQ(value(measured, "conformal.q.forget", 0.05), q_forget);
  EXPECT_EQ(value(measured, "conformal.q", 0.05), conformal_quantile(of_others, 0.05));
  const Matrix test = evidence::probabilities(model.outputs.at("test"), evidence.kind);
  double covered = 0, wrong = 0;
  for (std::size_t i = 0; i < 80; ++i) {
    if (made.labels["test"][i] != 2) continue;
    covered += 1 - test(i, 2) <= q_forget ? 1 : 0;
    const auto row = test.row(i);
    wrong += std::max_element(row.begin(), row.end()) - row.begin() != 2 ? 1 : 0;
  }
  EXPECT_EQ(value(measured, "conformal.coverage.test_forget", 0.05), covered / 20);
  EXPECT_EQ(value(measured, "conformal.ua.test_forget"), wrong / 20);
  EXPECT_EQ(find(measured, "conformal.cr.test_retain", 0.05)->n, 60u);
}

// Two classes, absent from retain, are class-wise too; present in retain they are not.
TEST(ConformalFamily, SeveralForgottenClasses) {
  Made made = random_forgetting();
  made.labels["forget"] = cycle(20, 2);
  EXPECT_EQ(find(measure(make(made)), "conformal.q.forget"), nullptr);
  made.labels["retain"] = std::vector<std::int64_t>(30, 3);
  EXPECT_NE(find(measure(make(made)), "conformal.q.forget", 0.05), nullptr);
}

// A part of one class, and one class of which nobody says whether retain holds more.
TEST(ConformalFamily, OneLabelInForgetIsNotAClassForgotten) {
  Made made = random_forgetting();
  made.labels["forget"] = std::vector<std::int64_t>(30, 2);
  const Measurements part = measure(make(made));
  EXPECT_EQ(find(part, "conformal.q.forget"), nullptr);
  EXPECT_NE(find(part, "conformal.cr.test", 0.05), nullptr);
  made.labels.erase("retain");
  EXPECT_EQ(find(measure(make(made)), "conformal.q.forget"), nullptr);
}

// Class 1 lives on without its part "1b": q of that part from its own calibration rows, and the
// test rows of that part apart from the others.
TEST(ConformalFamily, SubclassWiseForgetting) {
  Made made = random_forgetting();
  made.labels["forget"] = std::vector<std::int64_t>(30, 1);
  Evidence evidence = make(made);
  for (const auto& [split, labels] : made.labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const bool second = split == "forget" || (split != "retain" && i % 8 == 1);
      evidence.subclasses[split].push_back(std::to_string(labels[i]) +
                                           (labels[i] == 1 && second ? "b" : "a"));
    }
  }
  const Measurements measured = measure(evidence);
  const Model& model = evidence.groups.back().models.front();
  const Matrix calibration =
      evidence::probabilities(model.outputs.at("calibration"), evidence.kind);
  std::vector<double> of_part, of_others;
  for (std::size_t i = 0; i < 100; ++i) {
    const auto label = static_cast<std::size_t>(made.labels["calibration"][i]);
    (i % 8 == 1 ? of_part : of_others).push_back(1 - calibration(i, label));
  }
  ASSERT_EQ(of_part.size(), 13u);
  EXPECT_EQ(value(measured, "conformal.q.forget", 0.2), conformal_quantile(of_part, 0.2));
  EXPECT_EQ(value(measured, "conformal.q", 0.2), conformal_quantile(of_others, 0.2));
  EXPECT_EQ(find(measured, "conformal.cr.test_forget", 0.05)->n, 10u);
  EXPECT_EQ(find(measured, "conformal.cr.test_retain", 0.05)->n, 70u);
  EXPECT_EQ(find(measured, "conformal.q", 0.05)->facts["forgotten"], "subclass");
}

TEST(ConformalFamily, AnEmptyClassIsUndefinedAndSaysSo) {
  Made made = random_forgetting();
  made.labels["retain"] = cycle(60, 3);
  made.labels["forget"] = std::vector<std::int64_t>(30, 3);
  made.labels["calibration"] = cycle(100, 3);
  const Measurements measured = measure(make(made));
  for (const char* id : {"conformal.q.forget", "conformal.cr.forget"}) {
    const Row* row = find(measured, id, 0.05);
    ASSERT_NE(row, nullptr) << id;
    EXPECT_EQ(row->status, Status::undefined) << id;
    EXPECT_EQ(row->notes.at(0).code, Code::no_calibration_of_class) << id;
  }
  EXPECT_TRUE(std::isfinite(value(measured, "conformal.cr.test_retain", 0.05)));
}

}  // namespace
}  // namespace vestige::metrics
