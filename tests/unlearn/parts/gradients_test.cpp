// Gradients over sets of rows against one backward pass per row.
#include "vestige/unlearn/parts/gradients.h"

#include <gtest/gtest.h>

#include "tests/unlearn/bench.h"
#include "vestige/unlearn/parts/neurons.h"

namespace vestige::unlearn {
namespace {

using testing::UnlearnBench;

/// The gradient of one row's loss with respect to every parameter.
std::vector<torch::Tensor> gradient_of(models::Network& network, const train::Samples& samples,
                                       std::int64_t row) {
  network.eval();
  const train::Batch batch = samples.batch(std::vector<std::int64_t>{row});
  const torch::Tensor logits = network.forward(batch.inputs)[0][0];
  const torch::Tensor loss =
      torch::logsumexp(logits, 0) - logits[batch.labels.item<std::int64_t>()];
  return torch::autograd::grad({loss}, network.parameters());
}

TEST(Gradients, MatchOneRowAtATime) {
  UnlearnBench& bench = UnlearnBench::of("random");
  // The retrained model still has losses on forget rows, so these gradients are not tiny.
  models::Network& network = bench.retrained();
  const train::Rows rows(bench.forget().begin(), bench.forget().begin() + 7);
  const Gradients mean = mean_gradient(network, bench.samples(), rows, 3);
  const Gradients squared = mean_squared_gradient(network, bench.samples(), rows, 1, 5);
  EXPECT_EQ(mean.samples, 7);
  EXPECT_EQ(squared.samples, 7);
  std::vector<torch::Tensor> sums, squares;
  for (const std::int64_t row : rows) {
    const auto gradient = gradient_of(network, bench.samples(), row);
    for (std::size_t index = 0; index < gradient.size(); ++index) {
      if (sums.size() <= index) {
        sums.push_back(torch::zeros_like(gradient[index]));
        squares.push_back(torch::zeros_like(gradient[index]));
      }
      sums[index] += gradient[index] / 7;
      squares[index] += gradient[index].square() / 7;
    }
  }
  ASSERT_EQ(sums.size(), mean.values.size());
  for (std::size_t index = 0; index < sums.size(); ++index) {
    EXPECT_TRUE(torch::allclose(mean.values[index], sums[index], 1e-3, 1e-5)) << index;
    EXPECT_TRUE(torch::allclose(squared.values[index], squares[index], 1e-3, 1e-5)) << index;
  }
}

// One batch of all rows: the square of the mean gradient, not the mean of squares.
TEST(Gradients, SquareOfABatchIsOfItsMean) {
  UnlearnBench& bench = UnlearnBench::of("random");
  const train::Rows rows(bench.forget().begin(), bench.forget().begin() + 7);
  const Gradients mean = mean_gradient(bench.retrained(), bench.samples(), rows, 7);
  const Gradients squared = mean_squared_gradient(bench.retrained(), bench.samples(), rows, 7, 5);
  for (std::size_t index = 0; index < mean.values.size(); ++index) {
    EXPECT_TRUE(torch::allclose(squared.values[index], mean.values[index].square(), 1e-3, 1e-6));
  }
}

TEST(Neurons, OfTheSmallNetwork) {
  UnlearnBench& bench = UnlearnBench::of("random");
  const std::vector<NeuronLayer> layers = neuron_layers(bench.original());
  ASSERT_EQ(layers.size(), 4u);
  // vestige/models/small_cnn.h: width 16, twice that, 128, the four classes.
  EXPECT_EQ(layers[0].name, "conv1");
  EXPECT_EQ(layers[0].neurons(), 16);
  EXPECT_EQ(layers[1].neurons(), 32);
  EXPECT_EQ(layers[2].neurons(), 128);
  EXPECT_EQ(layers[3].name, "linear2");
  EXPECT_EQ(layers[3].neurons(), 4);
}

}  // namespace
}  // namespace vestige::unlearn
