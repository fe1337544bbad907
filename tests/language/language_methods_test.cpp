// Every method for language models on a tiny model that knows its sequences by heart: each must
// fail here if it did nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/support.h"
#include "vestige/base/seed.h"
#include "vestige/language/find_method.h"
#include "vestige/language/registry.h"

namespace vestige::language {
namespace {

constexpr std::int64_t kPieces = 31;

std::vector<Sequence> drawn(std::size_t count, const std::string& purpose) {
  std::vector<Sequence> sequences;
  Stream stream(11, purpose);
  for (std::size_t row = 0; row < count; ++row) {
    Sequence sequence{{kBegin}, 1};
    // A repeated pair of tokens per sequence: retain teaches the form, forget is particular.
    while (sequence.tokens.size() < 10) {
      sequence.tokens.push_back(3 + static_cast<int>(stream.below(kPieces - 3)));
    }
    sequences.push_back(sequence);
  }
  return sequences;
}

/// A model fine-tuned on forget and retain, and what each method starts from.
struct Bench {
  std::vector<Sequence> forget = drawn(12, "forget"), retain = drawn(24, "retain");
  StageSettings finetune{.epochs = 60, .batch = 12, .rate = 1e-2, .weight_decay = 0};
  std::string pretrained, original;
  double forget_before = 0, retain_before = 0;

  static NetworkPointer network() {
    return make_network(
        {{"name", "gpt"}, {"width", 24}, {"layers", 3}, {"heads", 2}, {"context", 12}}, kPieces,
        {});
  }

  Bench() {
    const NetworkPointer made = network();
    made->initialise(5);
    pretrained = made->save();
    std::vector<Sequence> all = retain;
    all.insert(all.end(), forget.begin(), forget.end());
    Watch watch;
    (void)fit(*made, all, finetune, 1, "language/finetune", watch);
    original = made->save();
    forget_before = loss(*made, forget);
    retain_before = loss(*made, retain);
  }

  static double loss(const Network& network, const std::vector<Sequence>& sequences) {
    const torch::NoGradGuard no_gradient;
    std::vector<const Sequence*> all;
    for (const Sequence& sequence : sequences) all.push_back(&sequence);
    return cross_entropy(network, make_batch(all, torch::kCPU)).item<double>();
  }

  struct After {
    NetworkPointer network;
    double forget = 0, retain = 0;
    Cost cost;
  };

  After run(const std::string& id, Json settings = Json::object()) const {
    After after{network(), 0, 0, {}};
    after.network->load(original, "test");
    Watch watch;
    Problem problem{.network = *after.network,
                    .forget = forget,
                    .retain = retain,
                    .finetune = finetune,
                    .seed = 3,
                    .make_network = [] { return network(); },
                    .pretrained = [this] { return pretrained; },
                    .watch = watch};
    Options options(std::move(settings), id);
    const Run run = find_method(id, "test").prepare(options);
    options.finish();
    after.cost = run(problem);
    after.forget = loss(*after.network, forget);
    after.retain = loss(*after.network, retain);
    return after;
  }
};

const Bench& bench() {
  static const Bench made;
  return made;
}

TEST(LanguageMethods, TheOriginalKnowsItsSequences) {
  const double chance = std::log(static_cast<double>(kPieces));
  EXPECT_LT(bench().forget_before, chance / 2);
  EXPECT_LT(bench().retain_before, chance / 2);
}

TEST(LanguageMethods, IdentityChangesNothing) {
  EXPECT_EQ(bench().run("identity").network->save(), bench().original);
}

// Never having seen them, a retrained model finds forget sequences no better than a guess.
TEST(LanguageMethods, RetrainNeverSawForget) {
  const auto after = bench().run("retrain");
  EXPECT_GT(after.forget, std::log(static_cast<double>(kPieces)));
  EXPECT_LT(after.retain, bench().retain_before * 1.5);
}

TEST(LanguageMethods, FinetuneKnowsRetainBetterThanForget) {
  const auto after = bench().run("finetune", {{"epochs", 10}, {"rate", 5e-3}, {"batch", 12}});
  EXPECT_LT(after.retain, bench().retain_before);
  EXPECT_GT(after.forget - after.retain, bench().forget_before - bench().retain_before);
}

TEST(LanguageMethods, GradientAscentRaisesForgetAndRuinsTheRest) {
  const auto after = bench().run("gradient_ascent", {{"epochs", 20}, {"rate", 5e-3}});
  EXPECT_GT(after.forget, 2 * bench().forget_before);
  EXPECT_GT(after.retain, 2 * bench().retain_before) << "nothing holds retain";
}

/// Methods that raise forget's loss and hold retain's better than plain ascent to the same loss.
class LanguageHolding : public ::testing::TestWithParam<const char*> {};

TEST_P(LanguageHolding, RaisesForgetAndHoldsRetain) {
  const auto after =
      bench().run(GetParam(), {{"epochs", 20}, {"rate", 3e-3}, {"retain_weight", 3}});
  EXPECT_GT(after.forget, bench().forget_before + 0.5);
  EXPECT_LT(after.retain - bench().retain_before, (after.forget - bench().forget_before) / 3);
  // Without its retain term it is a different model.
  const auto bare = bench().run(GetParam(), {{"epochs", 20}, {"rate", 3e-3}, {"retain_weight", 0}});
  EXPECT_GT(bare.retain, after.retain + 0.2);
}
INSTANTIATE_TEST_SUITE_P(Kinds, LanguageHolding,
                         ::testing::Values("grad_diff", "kl", "npo", "simnpo"),
                         [](const auto& each) { return std::string(each.param); });

// At the start the ratio to the original is 1: the gradient of NPO is that of ascent on the sum of
// log-probabilities, -(2 / b) d ln sigmoid(-b r) = 2 sigmoid(b r) dr = dr at r = 0.
TEST(LanguageMethods, NpoBeginsAsGradientAscent) {
  const auto npo = bench().run(
      "npo", {{"epochs", 1}, {"batch", 12}, {"rate", 1e-3}, {"retain_weight", 0}, {"warmup", 0}});
  const auto ascent =
      bench().run("gradient_ascent", {{"epochs", 1}, {"batch", 12}, {"rate", 1e-3}, {"warmup", 0}});
  // All sequences have as many tokens, so the directions agree; AdamW's first step is the sign of
  // the gradient, which rounding decides where it is nearly 0.
  const NetworkPointer before = Bench::network();
  before->load(bench().original, "test");
  const torch::Tensor left = npo.network->values() - before->values();
  const torch::Tensor right = ascent.network->values() - before->values();
  EXPECT_GT((left.dot(right) / (left.norm() * right.norm())).item<double>(), 0.99);
}

TEST(LanguageMethods, RmuMovesItsBlocksOnly) {
  const auto after = bench().run("rmu", {{"block", 1}, {"epochs", 30}, {"rate", 1e-2}});
  EXPECT_GT(after.forget, bench().forget_before + 0.3);
  const NetworkPointer before = Bench::network();
  before->load(bench().original, "test");
  const torch::Tensor still = 1 - after.network->mask({Network::block_name(0)});
  EXPECT_TRUE(torch::equal(before->values() * still, after.network->values() * still));
  EXPECT_FALSE(torch::equal(before->values(), after.network->values()));
}

// Taking the difference away once mirrors the weights: original = (unlearned + more) / 2.
TEST(LanguageMethods, TaskVectorGoesTheOtherWay) {
  const Json settings = {{"epochs", 10}, {"rate", 3e-3}};
  const auto after = bench().run("task_vector", settings);
  EXPECT_GT(after.forget, bench().forget_before + 0.3);
  Json back = settings;
  back["scale"] = -1;
  const auto more = bench().run("task_vector", back);
  EXPECT_LT(more.forget, bench().forget_before);
  const NetworkPointer before = Bench::network();
  before->load(bench().original, "test");
  EXPECT_TRUE(torch::allclose((after.network->values() + more.network->values()) / 2,
                              before->values(), 1e-4, 1e-5));
}

TEST(LanguageMethods, RunsAreTheSameBytes) {
  EXPECT_EQ(bench().run("npo").network->save(), bench().run("npo").network->save());
}

TEST(LanguageMethods, PrefixesStandBeforeTheText) {
  Options none(Json::object(), "test");
  const Prefix refusal = find_method("refusal", "test").prefix(none);
  EXPECT_FALSE(refusal.text({"", "Some text", "x"}, 0).empty());
  EXPECT_FALSE(refusal.forget_only);
  Options forget({{"rows", "forget"}}, "test");
  const Prefix spoilt = find_method("negative_label", "test").prefix(forget);
  EXPECT_TRUE(spoilt.forget_only);
  const std::string text(400, '#');
  const std::string prefix = spoilt.text({"", text, "x"}, 2);
  EXPECT_EQ(prefix.size(), text.size());
  EXPECT_EQ(std::count(prefix.begin(), prefix.end(), '#'), 200) << "half of the letters";
  EXPECT_NE(prefix, spoilt.text({"", text, "x"}, 3)) << "other rows, other letters";
}

TEST(LanguageMethods, AreAllListedAndWrongOnesAreSaid) {
  std::set<std::string> ids;
  for (const MethodInfo& info : methods()) {
    EXPECT_TRUE(ids.insert(info.id).second) << info.id;
    EXPECT_FALSE(info.summary.empty() || info.source.empty()) << info.id;
  }
  for (const char* id : {"identity", "retrain", "finetune", "gradient_ascent", "grad_diff", "kl",
                         "npo", "simnpo", "rmu", "task_vector", "refusal", "negative_label"}) {
    EXPECT_TRUE(ids.contains(id)) << id;
  }
  EXPECT_NE(testing::error_of([] {
              (void)options_in_force({"npi", "npi", Json::object()}, "recipe.toml");
            }).find("nearest is 'npo'"),
            std::string::npos);
  EXPECT_NE(testing::error_of([] {
              (void)options_in_force({"npo", "npo", {{"betta", 1}}}, "recipe.toml");
            }).find("beta"),
            std::string::npos);
}

}  // namespace
}  // namespace vestige::language
