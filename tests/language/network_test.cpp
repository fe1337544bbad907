// Networks, their optimiser and their answers against plain formulas.
#include "vestige/language/network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/language/answers.h"
#include "vestige/language/loop.h"

namespace vestige::language {
namespace {

constexpr std::int64_t kVocabulary = 23;

NetworkPointer tiny(const std::string& name, std::uint64_t seed = 1) {
  const Json model =
      name == "gpt"
          ? Json{{"name", "gpt"}, {"width", 12}, {"layers", 2}, {"heads", 3}, {"context", 16}}
          : Json{{"name", "lstm"}, {"width", 12}, {"layers", 2}};
  NetworkPointer network = make_network(model, kVocabulary, {});
  network->initialise(seed);
  return network;
}

std::vector<Sequence> random_sequences(std::size_t count, std::size_t length) {
  std::vector<Sequence> sequences;
  Stream stream(7, "test");
  for (std::size_t row = 0; row < count; ++row) {
    Sequence sequence{{kBegin}, 1};
    const std::size_t own = length - row % 3;
    while (sequence.tokens.size() < own) {
      sequence.tokens.push_back(3 + static_cast<int>(stream.below(kVocabulary - 3)));
    }
    sequences.push_back(sequence);
  }
  return sequences;
}

class LanguageNetwork : public ::testing::TestWithParam<const char*> {};

// What comes later must not change what was said before, and padding must not change anything.
TEST_P(LanguageNetwork, SeesNoFuture) {
  const torch::NoGradGuard no_gradient;
  const NetworkPointer network = tiny(GetParam());
  torch::Tensor tokens = torch::randint(3, kVocabulary, {2, 9}, torch::kInt64);
  const torch::Tensor before = network->logits(tokens);
  ASSERT_EQ(before.sizes(), (std::vector<std::int64_t>{2, 9, kVocabulary}));
  tokens.select(1, 6).fill_(5);
  tokens.select(1, 8).fill_(4);
  const torch::Tensor after = network->logits(tokens);
  EXPECT_TRUE(torch::allclose(before.narrow(1, 0, 6), after.narrow(1, 0, 6), 1e-5, 1e-6));
  EXPECT_FALSE(torch::allclose(before.narrow(1, 6, 3), after.narrow(1, 6, 3), 1e-5, 1e-6));
}

TEST_P(LanguageNetwork, IsSavedAndLoaded) {
  const NetworkPointer network = tiny(GetParam());
  const NetworkPointer other = tiny(GetParam(), 2);
  EXPECT_FALSE(torch::equal(network->values(), other->values()));
  EXPECT_TRUE(torch::equal(network->values(), tiny(GetParam())->values())) << "same seed";
  other->load(network->save(), "test");
  EXPECT_TRUE(torch::equal(network->values(), other->values()));
  const NetworkPointer foreign = tiny(std::string(GetParam()) == "gpt" ? "lstm" : "gpt");
  EXPECT_THROW(foreign->load(network->save(), "test"), InputError);
}

// Central differences of the loss in double-width steps agree with autograd's gradients.
TEST_P(LanguageNetwork, GradientsAreDerivatives) {
  const NetworkPointer network = tiny(GetParam());
  const auto sequences = random_sequences(4, 8);
  const Batch batch = make_batch({&sequences[0], &sequences[1], &sequences[2]}, torch::kCPU);
  network->gradients().zero_();
  cross_entropy(*network, batch).backward();
  const torch::NoGradGuard no_gradient;
  // The steepest weight has the best signal above float32's rounding.
  const auto steepest = network->gradients().abs().argmax().item<std::int64_t>();
  const double expected = network->gradients()[steepest].item<double>();
  torch::Tensor weight = network->values()[steepest];
  const double step = 1e-3;
  const double start = weight.item<double>();
  weight.fill_(start + step);
  const double above = cross_entropy(*network, batch).item<double>();
  weight.fill_(start - step);
  const double below = cross_entropy(*network, batch).item<double>();
  EXPECT_NEAR((above - below) / (2 * step), expected, 0.02 * std::abs(expected));
}

// A plain double-precision softmax of the logits, token by token, is the oracle.
TEST_P(LanguageNetwork, AnswersAreThoseOfASoftmax) {
  const torch::NoGradGuard no_gradient;
  const NetworkPointer network = tiny(GetParam());
  network->values().mul_(8);  // far from uniform
  std::vector<Sequence> sequences = random_sequences(5, 9);
  sequences[1].scored = 4;
  const Arrays arrays = token_answers(*network, sequences, true);
  std::int64_t place = 0;
  for (std::size_t row = 0; row < sequences.size(); ++row) {
    EXPECT_EQ(arrays.at(".offsets")[static_cast<std::int64_t>(row)].item<std::int64_t>(), place);
    const Sequence& own = sequences[row];
    const torch::Tensor logits =
        network->logits(make_batch({&own}, torch::kCPU).inputs)[0].to(torch::kFloat64);
    for (std::size_t token = own.scored; token < own.tokens.size(); ++token, ++place) {
      const torch::Tensor scores = logits[static_cast<std::int64_t>(token) - 1];
      const double* score = scores.data_ptr<double>();
      double sum = 0;
      for (std::int64_t id = 0; id < kVocabulary; ++id) sum += std::exp(score[id]);
      double mean = 0, square = 0;
      std::int64_t rank = 0;
      for (std::int64_t id = 0; id < kVocabulary; ++id) {
        const double logarithm = score[id] - std::log(sum);
        mean += std::exp(logarithm) * logarithm;
        square += std::exp(logarithm) * logarithm * logarithm;
        rank += score[id] > score[own.tokens[token]] ? 1 : 0;
      }
      EXPECT_NEAR(arrays.at("")[place].item<double>(), score[own.tokens[token]] - std::log(sum),
                  2e-5);
      EXPECT_NEAR(arrays.at(".mean")[place].item<double>(), mean, 2e-5);
      EXPECT_NEAR(arrays.at(".std")[place].item<double>(), std::sqrt(square - mean * mean), 2e-4);
      EXPECT_NEAR(arrays.at(".entropy")[place].item<double>(), -mean, 2e-5);
      EXPECT_EQ(arrays.at(".rank")[place].item<std::int64_t>(), rank);
    }
  }
  EXPECT_EQ(arrays.at("").size(0), place);
}

// Greedy decoding says what has rank 0: fed back, every said token has rank 0.
TEST_P(LanguageNetwork, GreedyTokensHaveRankZero) {
  const NetworkPointer network = tiny(GetParam());
  {
    const torch::NoGradGuard no_gradient;
    network->values().mul_(8);
  }
  const std::vector<Sequence> sequences = random_sequences(3, 8);
  const auto said = greedy(*network, sequences, {3, 4, 5}, 6);
  std::vector<Sequence> whole;
  std::size_t tokens_said = 0;
  for (std::size_t row = 0; row < 3; ++row) {
    const auto& tokens = sequences[row].tokens;
    whole.push_back({{tokens.begin(), tokens.begin() + 3 + static_cast<std::ptrdiff_t>(row)}, 1});
    whole.back().scored = whole.back().tokens.size();
    tokens_said += said[row].size();
    whole.back().tokens.insert(whole.back().tokens.end(), said[row].begin(), said[row].end());
    if (said[row].empty()) whole.pop_back();  // it ended at once
  }
  EXPECT_GE(tokens_said, 6U);
  EXPECT_EQ(token_answers(*network, whole, true).at(".rank").sum().item<std::int64_t>(), 0);
}

TEST_P(LanguageNetwork, LearnsByHeart) {
  const NetworkPointer network = tiny(GetParam());
  const std::vector<Sequence> sequences = random_sequences(6, 9);
  Watch watch;
  const double chance = std::log(static_cast<double>(kVocabulary));
  StageSettings stage{.epochs = 150, .batch = 6, .rate = 2e-2, .weight_decay = 0};
  (void)fit(*network, sequences, stage, 1, "test", watch);
  const torch::NoGradGuard no_gradient;
  std::vector<const Sequence*> all;
  for (const Sequence& sequence : sequences) all.push_back(&sequence);
  EXPECT_LT(cross_entropy(*network, make_batch(all, torch::kCPU)).item<double>(), chance / 4);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LanguageNetwork, ::testing::Values("gpt", "lstm"),
                         [](const auto& each) { return std::string(each.param); });

TEST(LanguageNetworks, WrongModelsAreSaid) {
  EXPECT_THROW(make_network({{"name", "bert"}}, 10, {}), InputError);
  EXPECT_THROW(make_network({{"name", "gpt"}, {"width", 10}, {"heads", 3}}, 10, {}), InputError);
  EXPECT_THROW(make_network({{"name", "gpt"}, {"depth", 10}}, 10, {}), InputError);
}

// Two steps of torch.optim.AdamW's rule by hand: g = 3 then 1, rate 0.1, decay 0.5, betas 0.9,
// 0.95.
TEST(LanguageLoop, AdamWIsTheRule) {
  const NetworkPointer network = tiny("gpt");
  const torch::NoGradGuard no_gradient;
  network->values().fill_(2);
  AdamW optimizer(*network, 0.5);
  double value = 2, plain = 2, first = 0, second = 0;
  for (int step = 1; step <= 2; ++step) {
    const double gradient = step == 1 ? 3 : 1;
    network->gradients().fill_(gradient);
    optimizer.step(0.1, 1e9);
    first = 0.9 * first + 0.1 * gradient;
    second = 0.95 * second + 0.05 * gradient * gradient;
    const double by = 0.1 * (first / (1 - std::pow(0.9, step))) /
                      (std::sqrt(second / (1 - std::pow(0.95, step))) + 1e-8);
    value = value * (1 - 0.1 * 0.5) - by;
    plain -= by;
  }
  EXPECT_NEAR(network->weights().at("embedding")[0][0].item<double>(), value, 1e-5);
  EXPECT_NEAR(network->weights().at("norm.bias")[0].item<double>(), plain, 1e-5)
      << "what is no matrix does not decay";
}

TEST(LanguageLoop, LongGradientsAreCutAndMasksHold) {
  const NetworkPointer network = tiny("gpt");
  const torch::NoGradGuard no_gradient;
  network->gradients().fill_(5);
  const torch::Tensor before = network->values().clone();
  AdamW(*network, 0).step(0.1, 2, network->mask({Network::block_name(1)}));
  EXPECT_NEAR(network->gradients().norm().item<double>(), 2, 1e-4);
  const torch::Tensor moved = (network->values() != before).to(torch::kFloat32);
  EXPECT_TRUE(torch::equal(moved, network->mask({Network::block_name(1)})));
  EXPECT_GT(moved.sum().item<double>(), 0);
}

// Up in a line to 1 at a tenth, down along half a cosine: by hand, 10 steps with warm-up 0.2.
TEST(LanguageLoop, RateRisesAndFalls) {
  EXPECT_DOUBLE_EQ(rate_factor(0, 10, 0.2), 0.5);
  EXPECT_DOUBLE_EQ(rate_factor(1, 10, 0.2), 1);
  EXPECT_DOUBLE_EQ(rate_factor(2, 10, 0.2), 1);
  EXPECT_NEAR(rate_factor(6, 10, 0.2), 0.5, 1e-12);
  EXPECT_GT(rate_factor(9, 10, 0.2), 0);
  EXPECT_DOUBLE_EQ(rate_factor(0, 10, 0), 1);
}

}  // namespace
}  // namespace vestige::language
