// Models that do not fit into memory together; the memory is a number here.
#include "vestige/train/memory.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>

#include "vestige/base/error.h"

namespace vestige::train {
namespace {

/// Trains `room` models at most in one graph, and notes which graphs it was asked for.
struct Device {
  std::size_t room;
  std::vector<std::pair<std::size_t, std::size_t>> asked = {};

  std::vector<pool::Product> operator()(std::size_t first, std::size_t count) {
    asked.emplace_back(first, count);
    if (count > room) throw std::runtime_error("CUDA out of memory. Tried to allocate 2.00 GiB");
    std::vector<pool::Product> products(count);
    for (std::size_t copy = 0; copy < count; ++copy) {
      products[copy].files["model.safetensors"] = std::to_string(first + copy);
      products[copy].facts = Json::object();
    }
    return products;
  }
};

std::vector<pool::Product> made_by(Device& device, std::size_t count) {
  return make_within_memory(
      count, [&](std::size_t first, std::size_t size) { return device(first, size); });
}

TEST(Memory, HalvesUntilItFitsAndLosesNoModel) {
  Device device{.room = 3};
  ::testing::internal::CaptureStderr();
  const auto products = made_by(device, 10);
  const std::string said = ::testing::internal::GetCapturedStderr();
  // 10 and 5 are too many; 3 at a time are four graphs, the last with one model.
  const std::vector<std::pair<std::size_t, std::size_t>> expected = {{0, 10}, {0, 5}, {0, 3},
                                                                     {3, 3},  {6, 3}, {9, 1}};
  EXPECT_EQ(device.asked, expected);
  ASSERT_EQ(products.size(), 10U);
  for (std::size_t model = 0; model < 10; ++model) {
    EXPECT_EQ(products[model].files.at("model.safetensors"), std::to_string(model));
    EXPECT_EQ(products[model].facts.at("graph"), 3);
  }
  EXPECT_NE(said.find("for 10 models in one graph: trying 3 at a time"), std::string::npos) << said;
}

TEST(Memory, LeavesAloneWhatFitsAndWhatIsNotAboutMemory) {
  Device large{.room = 64};
  const auto products = made_by(large, 4);
  EXPECT_EQ(large.asked.size(), 1U);
  EXPECT_FALSE(products.front().facts.contains("graph"));
  Device none{.room = 0};
  EXPECT_THROW(made_by(none, 1), std::runtime_error);
  EXPECT_EQ(none.asked.size(), 1U);
  int calls = 0;
  const MakeGroup wrong = [&](std::size_t, std::size_t) -> std::vector<pool::Product> {
    ++calls;
    throw InputError("a rate that is too large");
  };
  EXPECT_THROW(make_within_memory(8, wrong), InputError);
  EXPECT_EQ(calls, 1);
}

TEST(Memory, KnowsTheWordsOfBothAllocators) {
  EXPECT_TRUE(lacks_memory(std::bad_alloc()));
  EXPECT_TRUE(lacks_memory(std::runtime_error(
      "[enforce fail at alloc_cpu.cpp:66] . DefaultCPUAllocator: can't allocate memory: you tried "
      "to allocate 8 bytes. Error code 12 (Cannot allocate memory)")));
  EXPECT_FALSE(lacks_memory(std::runtime_error("device-side assert triggered")));
}

}  // namespace
}  // namespace vestige::train
