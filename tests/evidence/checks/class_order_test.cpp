// Columns in another order of classes are found however many are exchanged; forgotten classes,
// shuffled rows and constant answers are something else.
#include "vestige/evidence/checks/class_order.h"

#include <numeric>

#include "tests/evidence/checks/demo_models.h"
#include "tests/evidence/support.h"

namespace vestige::evidence {
namespace {

using testing::Codes;
using testing::codes_of;
using testing::holds;
using testing::said;

class ClassOrderTest : public testing::DemoModels {
 protected:
  std::vector<std::size_t> classes() {
    std::vector<std::size_t> order(10);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
  }
  Findings found() { return check_class_order(evidence); }
};

TEST_F(ClassOrderTest, SoundModels) { EXPECT_EQ(codes_of(found()), Codes{}); }

TEST_F(ClassOrderTest, TwoClassesExchanged) {
  auto order = classes();
  std::swap(order[3], order[7]);
  reorder_classes(model("retrained/0"), order);
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-CLASSES"});
  EXPECT_EQ(findings[0].model, "retrained/0");
  EXPECT_TRUE(findings[0].blocks_verdicts);
  EXPECT_TRUE(holds(said(findings[0]),
                    {"retrained/0/test.npy probably numbers the classes in another order",
                     "answers class 7 where the label is 3 (2 classes are exchanged)"}));
}

TEST_F(ClassOrderTest, AllClassesMoved) {
  auto order = classes();
  std::rotate(order.begin(), order.begin() + 1, order.end());
  reorder_classes(model("unlearned/finetune/0"), order);
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-CLASSES"});
  EXPECT_EQ(findings[0].model, "unlearned/finetune/0");
}

TEST_F(ClassOrderTest, LabelsOfAnotherOrder) {
  for (auto& [split, labels] : evidence.labels) {
    for (std::int64_t& label : labels) label = label == 0 ? 1 : label == 1 ? 0 : label;
  }
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-CLASSES"});
  EXPECT_EQ(findings[0].file, "labels/test.npy");
  EXPECT_EQ(findings[0].model, "");
}

// A forgotten class is answered by others, which stay what they are.
TEST_F(ClassOrderTest, ForgottenClasses) {
  for (const char* split : {"retain", "test"}) {
    change(model("unlearned/finetune/0"), split, [](Matrix& values) {
      for (std::size_t row = 0; row < values.rows(); ++row) values(row, 3) = values(row, 4) = -100;
    });
  }
  EXPECT_EQ(codes_of(found()), Codes{});
}

TEST_F(ClassOrderTest, ShuffledAndConstant) {
  for (const char* split : {"retain", "test"}) {
    shuffle(model("retrained/0"), split, 3);
    change(model("unlearned/finetune/0"), split, [](Matrix& values) {
      for (std::size_t row = 0; row < values.rows(); ++row) values(row, 2) = 100;
    });
  }
  EXPECT_EQ(codes_of(found()), Codes{});
}

// A model that returns (features, logits), of which the first was exported.
TEST_F(ClassOrderTest, FeaturesInsteadOfLogits) {
  EXPECT_EQ(codes_of(check_columns(evidence)), Codes{});
  evidence.classes = 64;
  Stream stream(1, "features");
  for_each_model([&](Model& one) {
    for (auto& [split, array] : one.outputs) {
      std::vector<double> values(array.rows() * 64);
      for (double& value : values) value = stream.uniform();
      const std::size_t rows = array.rows();
      array = Array::from_doubles(std::move(values), {rows, 64});
    }
  });
  Findings findings = check_columns(evidence);
  ASSERT_EQ(codes_of(findings), Codes{"W-COLUMNS"});
  EXPECT_TRUE(findings[0].blocks_verdicts);
  EXPECT_TRUE(holds(said(findings[0]), {"has 64 columns, but the largest label is 9"}));
  // A model of 64 classes that is tried on ten of them answers these.
  for_each_model([&](Model& one) {
    for (auto& [split, array] : one.outputs) {
      change(one, split, [](Matrix& values) {
        for (std::size_t row = 0; row < values.rows(); ++row) values(row, row % 10) = 2;
      });
    }
  });
  findings = check_columns(evidence);
  ASSERT_EQ(codes_of(findings), Codes{"W-COLUMNS"});
  EXPECT_FALSE(findings[0].blocks_verdicts);
}

}  // namespace
}  // namespace vestige::evidence
