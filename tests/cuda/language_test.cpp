// Language models on a CUDA device. Skipped where there is none.
#include <gtest/gtest.h>

#include "vestige/language/loop.h"
#include "vestige/language/network.h"

namespace vestige::language {
namespace {

constexpr std::int64_t kWords = 60;

NetworkPointer gpt_on_cuda(bool bfloat16) {
  const Json model{{"name", "gpt"}, {"width", 64}, {"layers", 2}, {"heads", 4}, {"context", 32}};
  NetworkPointer network = make_network(model, kWords, {torch::Device("cuda"), bfloat16});
  network->initialise(1);
  // Larger than at the start, so that attention tells tokens apart.
  const torch::NoGradGuard no_gradient;
  network->values().mul_(4);
  return network;
}

class LanguageOnCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "there is no CUDA device";
  }
};

// bfloat16 has its own attention: it must see what the plain one sees, and no future.
TEST_F(LanguageOnCuda, Bfloat16SaysWhatFloat32Says) {
  const torch::NoGradGuard no_gradient;
  torch::Tensor tokens = torch::randint(0, kWords, {3, 20}, torch::kInt64).to(torch::kCUDA);
  const torch::Tensor plain = gpt_on_cuda(false)->logits(tokens);
  const NetworkPointer network = gpt_on_cuda(true);
  const torch::Tensor before = network->logits(tokens);
  // Eight bits of a number and some twenty sums one after the other.
  EXPECT_LT((before - plain).abs().max().item<double>(), 0.05 * plain.abs().max().item<double>());
  tokens.select(1, 15).add_(1).remainder_(kWords);
  const torch::Tensor after = network->logits(tokens);
  EXPECT_TRUE(torch::equal(before.narrow(1, 0, 15), after.narrow(1, 0, 15)));
  EXPECT_FALSE(torch::equal(before.narrow(1, 15, 5), after.narrow(1, 15, 5)));
}

// A recurrent network asks cuDNN, which refuses a backward pass outside training.
TEST_F(LanguageOnCuda, BothNetworksLearn) {
  for (const char* name : {"gpt", "lstm"}) {
    for (const bool bfloat16 : {false, true}) {
      const NetworkPointer network = make_network(Json{{"name", name}, {"width", 32}}, kWords,
                                                  {torch::Device("cuda"), bfloat16});
      network->initialise(1);
      std::vector<Sequence> sequences(8);
      for (std::size_t row = 0; row < sequences.size(); ++row) {
        sequences[row] = {{kBegin, 3 + static_cast<int>(row), 20, 30, 40}, 1};
      }
      const auto loss = [&] {
        const torch::NoGradGuard no_gradient;
        Batches batches(sequences, 8, 1, "test", torch::Device("cuda"));
        return cross_entropy(*network, batches.next()).item<double>();
      };
      const double before = loss();
      StageSettings stage;
      stage.batch = 8;
      stage.steps = 30;
      stage.rate = 0.01;
      Watch watch;
      fit(*network, sequences, stage, 1, "test", watch, {});
      EXPECT_LT(loss(), 0.7 * before) << name << " " << bfloat16;
    }
  }
}

}  // namespace
}  // namespace vestige::language
