// Every architecture of the registry: shapes, taps, independence of the copies, learning.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/models/support.h"
#include "tests/support.h"
#include "vestige/models/taps.h"
#include "vestige/models/weights/checkpoint.h"

namespace vestige::models {
namespace {

using testing::inputs;
using testing::largest_difference;
using testing::losses;
using testing::network;

class EveryArchitecture : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { at::set_num_threads(1); }
};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const ArchitectureInfo& info : architectures()) all.push_back(info.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryArchitecture, ::testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

TEST_P(EveryArchitecture, GivesLogitsAndItsTaps) {
  const NetworkPointer pair = network(GetParam(), {1, 2});
  pair->eval();
  const std::vector<std::string> taps = pair->tap_names();
  ASSERT_GE(taps.size(), 2u);
  EXPECT_EQ(taps[taps.size() - 2], "penultimate");
  EXPECT_EQ(taps.back(), "logits");
  EXPECT_EQ(taps_of(GetParam()), taps);

  Taps kept{.wanted = {taps.begin(), taps.end()}, .values = {}};
  const torch::Tensor values = inputs(2, 3);
  const torch::Tensor logits = pair->forward(values, &kept);
  EXPECT_EQ(logits.sizes(), (std::vector<std::int64_t>{2, 3, 10}));
  EXPECT_TRUE(torch::equal(kept.values.at("logits"), logits));
  EXPECT_EQ(kept.values.at("penultimate").dim(), 3);
  for (const std::string& name : taps) {
    ASSERT_EQ(kept.values.count(name), 1u) << name;
    EXPECT_EQ(kept.values[name].size(0), 2) << name;
    EXPECT_EQ(kept.values[name].size(1), 3) << name;
  }
  // Nothing is kept unasked, and keeping changes nothing.
  Taps none;
  EXPECT_TRUE(torch::equal(pair->forward(values, &none), logits));
  EXPECT_TRUE(none.values.empty());
  // Every tap is on the path to the logits, as Grad-CAM needs it.
  for (const std::string& name : taps) {
    const auto gradient = torch::autograd::grad({logits.sum()}, {kept.values[name]}, {}, true);
    EXPECT_GT(gradient[0].abs().max().item<double>(), 0) << name;
  }
}

TEST_P(EveryArchitecture, CopiesAnswerAsSingleNetworksDo) {
  const std::vector<std::uint64_t> seeds{11, 12, 13};
  const NetworkPointer all = network(GetParam(), seeds);
  all->eval();
  const torch::Tensor values = inputs(3, 2);
  const std::vector<std::string> taps = all->tap_names();
  Taps kept{.wanted = {taps.begin(), taps.end()}, .values = {}};
  const torch::Tensor logits = all->forward(values, &kept);
  for (std::int64_t copy = 0; copy < 3; ++copy) {
    const NetworkPointer single = network(GetParam(), {seeds[static_cast<std::size_t>(copy)]});
    single->eval();
    Taps alone{.wanted = {taps.begin(), taps.end()}, .values = {}};
    const torch::Tensor expected = single->forward(values.narrow(0, copy, 1), &alone);
    // Logits are of order 0.1 to 1; grouped and plain kernels sum in different orders.
    EXPECT_LT(largest_difference(logits[copy], expected[0]), 1e-5) << copy;
    for (const std::string& name : taps) {
      EXPECT_LT(largest_difference(kept.values[name][copy], alone.values[name][0]), 1e-5)
          << name << " of copy " << copy;
    }
  }
  EXPECT_GT(largest_difference(logits[0], logits[1]), 1e-3);
}

// In double precision, because batch statistics of two rows magnify rounding where a channel's
// variance is near 0: float gradients of mobilenet_v2 differ by up to 0.6 % between the kernels.
TEST_P(EveryArchitecture, GradientsOfACopyAreItsOwn) {
  const NetworkPointer all = network(GetParam(), {21, 22, 23});
  all->to(torch::kFloat64);
  const torch::Tensor values = inputs(3, 2).to(torch::kFloat64);
  // The loss of copy 1 alone has exactly no gradient in the others.
  losses(all->forward(values))[1].backward();
  for (const auto& parameter : all->named_parameters()) {
    const torch::Tensor gradient = parameter.value().grad();
    EXPECT_EQ(gradient[0].abs().max().item<double>(), 0) << parameter.key();
    EXPECT_EQ(gradient[2].abs().max().item<double>(), 0) << parameter.key();
  }
  // And it is what the single network has.
  const NetworkPointer single = network(GetParam(), {22});
  single->to(torch::kFloat64);
  losses(single->forward(values.narrow(0, 1, 1)))[0].backward();
  double largest = 0;
  double difference = 0;
  for (const auto& parameter : all->named_parameters()) {
    const torch::Tensor expected = single->named_parameters()[parameter.key()].grad()[0];
    largest = std::max(largest, expected.abs().max().item<double>());
    difference = std::max(difference, largest_difference(parameter.value().grad()[1], expected));
  }
  EXPECT_GT(largest, 0);
  EXPECT_LT(difference, 1e-9 * largest);
}

TEST_P(EveryArchitecture, OneStepLowersEveryLoss) {
  if (std::string(GetParam()) == "densenet121") {
    GTEST_SKIP()
        << "its last features are one pixel of four examples here, and batch norm over four "
           "values is too steep for a step; densenet has the same blocks";
  }
  const NetworkPointer pair = network(GetParam(), {31, 32});
  const torch::Tensor values = inputs(2, 4);
  const torch::Tensor before = losses(pair->forward(values));
  before.sum().backward();
  {
    const torch::NoGradGuard no_gradient;
    for (const torch::Tensor& parameter : pair->parameters()) {
      parameter.add_(parameter.grad(), -0.01);
    }
  }
  const torch::Tensor after = losses(pair->forward(values));
  for (std::int64_t copy = 0; copy < 2; ++copy) {
    EXPECT_LT(after[copy].item<double>(), before[copy].item<double>()) << copy;
  }
}

TEST_P(EveryArchitecture, InitialisesACopyTheSameAmongOthers) {
  const NetworkPointer all = network(GetParam(), {41, 42, 43});
  const NetworkPointer single = network(GetParam(), {43});
  for (const auto& parameter : single->named_parameters()) {
    EXPECT_TRUE(torch::equal(parameter.value()[0], all->named_parameters()[parameter.key()][2]))
        << parameter.key();
  }
  for (const auto& buffer : single->named_buffers()) {
    EXPECT_TRUE(torch::equal(buffer.value()[0], all->named_buffers()[buffer.key()][2]))
        << buffer.key();
  }
}

TEST_P(EveryArchitecture, CheckpointsRoundTripByteForByte) {
  const NetworkPointer from = network(GetParam(), {5});
  from->forward(inputs(1, 2));  // moves the running statistics off their start
  const std::string bytes = save(*from, 0, {{"seed", "5"}});
  const NetworkPointer to = network(GetParam(), {0, 1});
  const std::string untouched = save(*to, 1);
  load(*to, 0, bytes, "x");
  EXPECT_EQ(save(*to, 0, {{"seed", "5"}}), bytes);
  EXPECT_EQ(save(*to, 1), untouched);
}

TEST_P(EveryArchitecture, AcceptsAnEmptyBatchInEvaluation) {
  const NetworkPointer single = network(GetParam(), {1});
  single->eval();
  EXPECT_EQ(single->forward(inputs(1, 0)).sizes(), (std::vector<std::int64_t>{1, 0, 10}));
}

TEST_P(EveryArchitecture, SaysWhatItCannotTake) {
  if (GetParam() != "mlp") {
    const std::string text = vestige::testing::error_of(
        [&] { network(GetParam(), {1}, {.input = {600}, .classes = 2}); });
    EXPECT_TRUE(vestige::testing::holds(text, {GetParam(), "1 dimension", "mlp"}));
    const std::string small = vestige::testing::error_of([&] {
      network(GetParam(), {1}, {.input = {1, 3, 28}, .classes = 2});
    });
    EXPECT_TRUE(vestige::testing::holds(small, {GetParam(), "at least", "3 x 28"}));
  }
  const std::string key = vestige::testing::error_of([&] {
    network(GetParam(), {1}, testing::kTinyImages, {{"nmae", 3}});
  });
  EXPECT_TRUE(vestige::testing::holds(key, {"'nmae' is not known", "did you mean 'name'"}));
}

TEST(Registry, UnknownNamesAreAnsweredWithTheNearest) {
  const std::string text = vestige::testing::error_of([] { network("smal_cnn", {1}); });
  EXPECT_TRUE(vestige::testing::holds(text, {"[model]: name", "smal_cnn", "'small_cnn'"}));
}

TEST(Registry, AtLeastOneCopyAndOneClass) {
  EXPECT_TRUE(vestige::testing::holds(vestige::testing::error_of([] { network("small_cnn", {}); }),
                                      {"0 copies", "at least 1"}));
  EXPECT_TRUE(vestige::testing::holds(vestige::testing::error_of([] {
                                        network("small_cnn", {1}, {.input = {1, 8, 8}});
                                      }),
                                      {"0 classes", "at least 1"}));
}

TEST(Taps, UnknownOnesAreAnsweredWithTheNearest) {
  const NetworkPointer single = network("small_cnn", {1});
  check_taps(*single, {"conv1", "logits"});
  const std::string text = vestige::testing::error_of([&] {
    check_taps(*single, {"logits", "penultimat"});
  });
  EXPECT_TRUE(vestige::testing::holds(text, {"'penultimat'", "'penultimate'", "conv1, conv2"}));
}

}  // namespace
}  // namespace vestige::models
