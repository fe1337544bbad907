// Evidence that is not what it says leaves the methods concerned without a verdict.
#include "vestige/audit/verdicts/disorder.h"

#include <numeric>

#include "tests/evidence/checks/demo_models.h"

namespace vestige::audit {
namespace {

class WrongEvidence : public testing::DemoModels {
 protected:
  const Context context;

  Disorder about(const std::string& method) {
    return RowOrders(context, evidence).of(*evidence.find("unlearned", method));
  }
  /// The code of the finding that stands in the way.
  result::Code obstacle(const std::string& method) {
    const result::Reason found = about(method).obstacle;
    if (found.code != result::Code::about_file) return found.code;
    return std::get<result::Reasons>(argument(found, "reasons")).at(0).code;
  }
};

TEST_F(WrongEvidence, SoundEvidenceHasNoObstacle) {
  for (const evidence::Group* group : evidence.unlearned()) {
    EXPECT_TRUE(about(group->method).obstacle.empty()) << group->method;
  }
}

TEST_F(WrongEvidence, TestOfTheOriginalFromTheForgetLoader) {
  for_each_model([](evidence::Model& one) {
    if (one.role == "original") one.outputs.at("test") = one.outputs.at("forget");
  });
  EXPECT_EQ(obstacle("finetune"), result::Code::splits_share_examples);
  EXPECT_TRUE(about("finetune").wrong_evidence);
}

// Other methods are not concerned.
TEST_F(WrongEvidence, ForgetOfOneMethodFromTheTestLoader) {
  model("unlearned/finetune/0").outputs.at("forget") =
      model("unlearned/finetune/0").outputs.at("test");
  EXPECT_EQ(obstacle("finetune"), result::Code::splits_share_examples);
  EXPECT_TRUE(about("random_label").obstacle.empty());
}

TEST_F(WrongEvidence, AnotherClassOrder) {
  std::vector<std::size_t> order(10);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::swap(order[0], order[6]);
  reorder_classes(model("unlearned/finetune/0"), order);
  EXPECT_EQ(obstacle("finetune"), result::Code::classes_in_other_order);
  EXPECT_TRUE(about("random_label").obstacle.empty());
  reorder_classes(model("unlearned/finetune/0"), order);
  reorder_classes(model("retrained/0"), order);
  EXPECT_EQ(obstacle("random_label"), result::Code::classes_in_other_order);
}

TEST_F(WrongEvidence, EveryLoaderShuffles) {
  std::uint64_t seed = 100;
  for_each_model([&](evidence::Model& one) {
    for (const auto& [split, outputs] : std::map(one.outputs)) shuffle(one, split, ++seed);
  });
  EXPECT_EQ(obstacle("finetune"), result::Code::everything_at_chance);
  EXPECT_TRUE(about("finetune").wrong_evidence);
}

}  // namespace
}  // namespace vestige::audit
