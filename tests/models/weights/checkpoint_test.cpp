// Checkpoints: the bytes, the way back, and what is wrong with a foreign file.
#include "vestige/models/weights/checkpoint.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/models/support.h"
#include "tests/support.h"
#include "vestige/models/clone.h"

namespace vestige::models {
namespace {

using testing::network;
using vestige::testing::error_of;
using vestige::testing::holds;

// The format by hand: length 8 bytes little-endian, JSON padded to 8, then the data in the order of
// the names.
TEST(Checkpoint, IsSafetensorsWithSortedNames) {
  const NetworkPointer tiny =
      network("mlp", {3}, {.input = {2}, .classes = 1}, {{"widths", std::vector<std::int64_t>{}}});
  const std::string bytes = save(*tiny, 0, {{"b", "2"}, {"a", "1"}});
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  ASSERT_EQ(length % 8, 0u);
  const std::string header = bytes.substr(8, length);
  EXPECT_EQ(header.substr(0, header.find_last_not_of(' ') + 1),
            R"({"__metadata__":{"a":"1","b":"2"},)"
            R"("output.bias":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
            R"("output.weight":{"dtype":"F32","shape":[1,2],"data_offsets":[4,12]}})");
  ASSERT_EQ(bytes.size(), 8 + length + 12);
  float bias = 0;
  std::memcpy(&bias, bytes.data() + 8 + length, 4);
  EXPECT_EQ(bias, tiny->named_parameters()["output.bias"].item<float>());
}

TEST(Checkpoint, ForeignFilesAreNamedAndChangeNothing) {
  const NetworkPointer target =
      network("mlp", {1}, {.input = {4}, .classes = 3}, {{"widths", std::vector<std::int64_t>{5}}});
  const std::string before = save(*target, 0);
  const auto foreign = [](std::int64_t classes, const std::vector<std::int64_t>& widths) {
    return save(*network("mlp", {1}, {.input = {4}, .classes = classes}, {{"widths", widths}}), 0);
  };
  EXPECT_TRUE(holds(error_of([&] { load(*target, 0, foreign(2, {5}), "a.safetensors"); }),
                    {"a.safetensors", "output.bias", "[2]", "[3]"}));
  EXPECT_TRUE(holds(error_of([&] { load(*target, 0, foreign(3, {}), "b.safetensors"); }),
                    {"b.safetensors", "hidden1.bias", "missing"}));
  EXPECT_TRUE(holds(error_of([&] {
                      load(*target, 0, foreign(3, {5, 5}), "c.safetensors");
                    }),
                    {"c.safetensors", "hidden2.bias", "not part"}));
  EXPECT_TRUE(holds(error_of([&] {
                      load(*target, 0, std::string_view(before).substr(0, before.size() - 1), "d");
                    }),
                    {"d", "truncated"}));
  EXPECT_EQ(save(*target, 0), before);
}

TEST(CopyWeights, CopiesParametersAndBuffers) {
  const NetworkPointer from = network("small_cnn", {5, 6});
  const NetworkPointer to = network("small_cnn", {1, 2, 3});
  const std::string first = save(*to, 0);
  copy_weights(*from, 1, *to, 2);
  EXPECT_EQ(save(*to, 2), save(*from, 1));
  EXPECT_EQ(save(*to, 0), first);
}

TEST(CopyWeights, RefusesAnotherArchitecture) {
  const NetworkPointer from = network("small_cnn", {5}, testing::kTinyImages, {{"width", 8}});
  const NetworkPointer to = network("small_cnn", {1});
  const std::string before = save(*to, 0);
  EXPECT_TRUE(holds(error_of([&] { copy_weights(*from, 0, *to, 0); }),
                    {"different architectures", "[model]"}));
  EXPECT_EQ(save(*to, 0), before);
}

}  // namespace
}  // namespace vestige::models
