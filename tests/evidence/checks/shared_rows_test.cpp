// Examples that stand in two splits are found by what models say of them and by digests; saturated
// outputs and repetitive data are not taken for them.
#include "vestige/evidence/checks/shared_rows.h"

#include <numeric>

#include "tests/audit/known_models.h"
#include "tests/evidence/checks/demo_models.h"
#include "tests/evidence/support.h"

namespace vestige::evidence {
namespace {

using testing::Codes;
using testing::codes_of;
using testing::holds;
using testing::said;

class SharedRowsTest : public testing::DemoModels {
 protected:
  Findings found() { return check_shared_rows(evidence); }

  /// Rows `first` to `last` of one split in the place of those of another, with their labels.
  void copy_rows(const std::string& from, const std::string& to, std::size_t last,
                 double noise = 0) {
    for_each_model([&](Model& one) {
      if (!one.has(from) || !one.has(to)) return;
      const Matrix source = matrix(one.outputs.at(from));
      change(one, to, [&](Matrix& values) {
        for (std::size_t row = 0; row < last; ++row) {
          for (std::size_t col = 0; col < values.cols(); ++col) {
            values(row, col) = source(row, col) + noise;
          }
        }
      });
    });
    auto& labels = evidence.labels.at(to);
    std::copy_n(evidence.labels.at(from).begin(), last, labels.begin());
  }
};

TEST_F(SharedRowsTest, SoundSplits) { EXPECT_EQ(codes_of(found()), Codes{}); }

TEST_F(SharedRowsTest, TestFromTheForgetLoader) {
  for_each_model([](Model& one) {
    if (one.has("test") && one.has("forget")) one.outputs.at("test") = one.outputs.at("forget");
  });
  evidence.labels.at("test") = evidence.labels.at("forget");
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-SHARED"});
  EXPECT_TRUE(findings[0].blocks_verdicts);
  EXPECT_EQ(findings[0].model, "");
  EXPECT_TRUE(holds(
      said(findings[0]),
      {"original/0/test.npy shares examples with original/0/forget", "100 %", "wrong loader"}));
}

// The labels may come from the right loader.
TEST_F(SharedRowsTest, SameFileUnderOtherLabels) {
  Model& one = model("unlearned/finetune/0");
  one.outputs.at("test") = one.outputs.at("forget");
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-SHARED"});
  EXPECT_EQ(findings[0].model, "unlearned/finetune/0");
}

// Other batches give other roundings.
TEST_F(SharedRowsTest, ATenthOfTheTestSet) {
  for (const double noise : {0.0, 1e-6, 3e-5}) {
    const std::size_t rows = evidence.labels.at("forget").size();
    copy_rows("forget", "test", rows / 10, noise);
    EXPECT_EQ(codes_of(found()), Codes{"W-SHARED"}) << noise;
  }
}

TEST_F(SharedRowsTest, ForgetAmongRetain) {
  copy_rows("retain", "forget", 100);
  EXPECT_EQ(codes_of(found()), Codes{"W-SHARED"});
}

TEST_F(SharedRowsTest, AFewDuplicatesAreNoSplit) {
  copy_rows("forget", "test", 5);
  EXPECT_EQ(codes_of(found()), Codes{});
}

// Two columns of zeros and ones are the same for most rows of any split.
TEST_F(SharedRowsTest, SaturatedOutputs) {
  evidence.kind = OutputKind::probabilities;
  for_each_model([&](Model& one) {
    for (auto& [split, array] : one.outputs) {
      change(one, split, [](Matrix& values) {
        for (std::size_t row = 0; row < values.rows(); ++row) {
          const auto line = values.row(row);
          const auto best = std::max_element(line.begin(), line.end()) - line.begin();
          for (std::size_t col = 0; col < values.cols(); ++col) {
            values(row, col) = static_cast<std::ptrdiff_t>(col) == best ? 1 : 0;
          }
        }
      });
    }
  });
  EXPECT_EQ(codes_of(found()), Codes{});
}

// Rounded outputs of sure models: examples that are alone in their split tell a shared example from
// one that only looks the same.
TEST(SharedRows, HardExamplesOfSureModels) {
  const audit::KnownModels known("known_hardest.npz");
  Evidence evidence;
  known.add(evidence, "original", "", "original", {0, 1});
  known.add(evidence, "retrained", "", "retrained", {0, 1});
  EXPECT_EQ(codes_of(check_shared_rows(evidence)), Codes{});
  // Retain examples from the forget loader, in another order.
  for (Group& group : evidence.groups) {
    for (Model& model : group.models) {
      const Array& forget = model.outputs.at("forget");
      std::vector<double> values(forget.rows() * forget.cols());
      for (std::size_t row = 0; row < forget.rows(); ++row) {
        forget.read_row(forget.rows() - 1 - row,
                        std::span(values).subspan(row * forget.cols(), forget.cols()));
      }
      model.outputs.at("retain") =
          Array::from_doubles(std::move(values), {forget.rows(), forget.cols()});
    }
  }
  const auto& labels = evidence.labels.at("forget");
  evidence.labels.at("retain").assign(labels.rbegin(), labels.rend());
  EXPECT_EQ(codes_of(check_shared_rows(evidence)), Codes{"W-SHARED"});
}

TEST_F(SharedRowsTest, Digests) {
  for (std::int64_t i = 0; i < 400; ++i) {
    evidence.digests["forget"].push_back(i);
    evidence.digests["test"].push_back(1000 + i);
  }
  EXPECT_EQ(codes_of(found()), Codes{});
  std::iota(evidence.digests["test"].begin(), evidence.digests["test"].begin() + 8, 0);
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-SHARED"});
  EXPECT_EQ(findings[0].reason, reason(Code::digests_shared, 8, 400, "test", "forget"));
}

// Tables of few columns repeat rows within a split as often as between splits.
TEST_F(SharedRowsTest, RepetitiveData) {
  for (std::int64_t i = 0; i < 400; ++i) {
    evidence.digests["forget"].push_back(i % 50);
    evidence.digests["test"].push_back(i % 60);
  }
  EXPECT_EQ(codes_of(found()), Codes{});
}

TEST(SharedLosses, EqualLosses) {
  Evidence evidence;
  Model original;
  original.role = "original";
  original.name = "0";
  std::vector<double> forget, test;
  Stream stream(5, "losses");
  for (int i = 0; i < 200; ++i) {
    forget.push_back(1 + stream.uniform());
    test.push_back(i < 60 ? forget.back() : 1 + stream.uniform());
  }
  original.losses["forget"] = Array::from_doubles(forget, {200});
  original.losses["test"] = Array::from_doubles(test, {200});
  evidence.groups.push_back({"original", "", {original}});
  EXPECT_EQ(codes_of(check_shared_rows(evidence)), Codes{"W-SHARED"});
  for (double& loss : test) loss = 1 + stream.uniform();
  evidence.groups[0].models[0].losses["test"] = Array::from_doubles(test, {200});
  EXPECT_EQ(codes_of(check_shared_rows(evidence)), Codes{});
}

}  // namespace
}  // namespace vestige::evidence
